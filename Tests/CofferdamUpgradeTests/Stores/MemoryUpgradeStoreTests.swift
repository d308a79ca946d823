import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite struct MemoryUpgradeStoreTests {
    @Test func `it is a store`() async throws {
        try await UpgradeStoreContract(MemoryUpgradeStore()).holds()
    }
}
