import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite struct MemoryUpgradeStoreTests {
    @Test func `it keeps the contract of a store`() async throws {
        try await UpgradeStoreContract(MemoryUpgradeStore()).holds()
    }
}
