import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct RouterClosingTests {
    private let ended = Log<String>()
    private let opened = Log<String>()

    @TaskLocal private static var tenant = "none"

    @Test func `an opener has no task-locals, whichever caller came first`() async throws {
        let router = Router(
            legacy: { [opened] in opened.add(Self.tenant) },
            candidate: { [opened] in opened.add(Self.tenant) }
        )
        for stage in [Stage.legacyOnly, .candidateOnly] {
            try await Self.$tenant.withValue("a") { try await router.port(at: stage) }
        }
        #expect(opened.entries == ["none", "none"])
    }

    @Test func `closing ends every open side, and opens none`() async throws {
        let router = Router(
            legacy: opening("legacy"),
            candidate: opening("candidate"),
            shadowCandidate: opening("copy")
        )
        _ = try await router.port(at: .legacyOnly)

        await router.close(throwing: TestError("closed")) { ended.add($0) }

        #expect(ended.entries == ["legacy"])
        #expect(opened.entries == ["legacy"])
        await #expect(throws: TestError("closed")) { try await router.port(at: .candidateOnly) }
        #expect(opened.entries == ["legacy"])
    }

    @Test func `closing waits for a side that is being opened, and ends it`() async throws {
        let gate = TestGate()
        let router = Router(legacy: opening("legacy", through: gate), candidate: opening("candidate"))
        let waiting = Task { try await router.port(at: .legacyOnly) }
        await until { gate.arrivals == 1 }

        let closing = Task { await router.close(throwing: TestError("closed")) { [ended] in ended.add($0) } }
        #expect(ended.entries == [])
        gate.open()
        await closing.value

        #expect(ended.entries == ["legacy"])
        _ = await waiting.result
    }

    @Test func `an opening whose callers have all given up is not lost`() async throws {
        let gate = TestGate()
        let router = Router(legacy: opening("legacy", through: gate), candidate: opening("candidate"))
        let leaving = Task { try await router.port(at: .legacyOnly) }
        await until { gate.arrivals == 1 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()

        #expect(try await router.port(at: .legacyOnly) == "legacy")
        #expect(opened.entries == ["legacy"])
        await router.close(throwing: TestError("closed")) { ended.add($0) }
        #expect(ended.entries == ["legacy"])
    }

    @Test func `a side that failed to open is opened by the next caller that needs it`() async throws {
        let failures = Log<String>()
        let router = Router<String>(
            legacy: {
                guard !failures.entries.isEmpty else {
                    failures.add("legacy")
                    throw TestError("not today")
                }
                return "legacy"
            },
            candidate: opening("candidate")
        )
        await #expect(throws: TestError("not today")) { try await router.port(at: .legacyOnly) }
        #expect(try await router.port(at: .legacyOnly) == "legacy")
    }

    private func opening(_ name: String, through gate: TestGate? = nil) -> @Sendable () async throws -> String {
        { [opened] in
            await gate?.pass()
            opened.add(name)
            return name
        }
    }
}
