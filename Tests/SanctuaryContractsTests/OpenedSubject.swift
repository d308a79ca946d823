#if Sandbox
import CofferdamContracts
import SanctuaryContracts
import SanctuaryFake
import SanctuaryHarness
import Testing

/// Opens a new subject of the adapter with that name, and ends it after `body`.
func withSubject<Result: Sendable>(
    _ name: String,
    _ body: (SanctuarySubject) async throws -> Result
) async throws -> Result {
    let adapter = try #require(adaptersUnderTest.first { $0.name == name })
    let subject = try await adapter.open()
    do {
        let result = try await body(subject)
        await adapter.close(subject)
        return result
    } catch {
        await adapter.close(subject)
        throw error
    }
}
#endif
