import Cofferdam
import CofferdamUpgrade
import Testing

@Suite struct StageTests {
    @Test(
        arguments: [
            (nil, .legacyOnly), ("", .legacyOnly), ("legacyOnly", .legacyOnly), ("candidateOnly", .candidateOnly),
        ] as [(String?, Stage)]
    )
    func `the environment names the stage, and a missing one is the default`(value: String?, stage: Stage) async throws
    {
        let source = EnvironmentStageSource("STAGE", read: { $0 == "STAGE" ? value : nil })
        #expect(try await source.stage() == stage)
        let reading = try await source.reading(default: .candidateOnly)
        #expect(reading.stage == stage)
        #expect(reading.error == nil)
    }

    @Test(arguments: ["canary", "CandidateOnly", " candidateOnly", "1"])
    func `a wrong value is an error that names the variable and what is allowed, and not followed`(
        value: String
    ) async throws {
        let source = EnvironmentStageSource("STAGE", read: { _ in value })
        let error = await #expect(throws: StageError.self) { try await source.stage() }
        #expect(error?.code == .unknownStage)
        #expect(error?.subject == "STAGE")
        #expect(error?.description == "STAGE: \"\(value)\" is no stage; allowed: legacyOnly, candidateOnly")
        let reading = try await source.reading()
        #expect(reading.stage == .legacyOnly)
        #expect(reading.error as? StageError == error)
    }

    @Test func `the process's own environment is read by default`() async throws {
        #expect(try await EnvironmentStageSource("COFFERDAM_STAGE_THAT_NOBODY_SETS").stage() == .legacyOnly)
        let error = await #expect(throws: StageError.self) { try await EnvironmentStageSource("PATH").stage() }
        #expect(error?.code == .unknownStage)
    }

    @Test func `cancellation is no reason for a default`() async {
        struct Cancelled: StageSource {
            func stage() async throws -> Stage { throw CancellationError() }
        }
        await #expect(throws: CancellationError.self) { try await Cancelled().reading() }
    }
}

@Suite struct RouterTests {
    private struct Refused: Error {}

    /// A router of names that counts how often each side is opened.
    private func router(_ opened: Counter, failures: Int = 0) -> Router<String> {
        Router(
            legacy: {
                opened.add("legacy"); return "legacy"
            },
            candidate: {
                if opened.add("candidate") <= failures { throw Refused() }
                return "candidate"
            }
        )
    }

    private final class Counter: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        var all: [String: Int] { counts.withLock { $0 } }
        @discardableResult func add(_ name: String) -> Int {
            counts.withLock { counts in
                counts[name, default: 0] += 1
                return counts[name, default: 0]
            }
        }
    }

    @Test(arguments: [(Stage.legacyOnly, Side.legacy), (.candidateOnly, .candidate)])
    func `a stage opens its own side once, and never the other`(stage: Stage, side: Side) async throws {
        // Again and again: a caller may look just before the side is there, and ask just after.
        for _ in 0..<200 {
            let counter = Counter()
            let router = router(counter)
            #expect(router.opened.isEmpty)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await router.port(at: stage) } }
                for try await port in group { #expect(port == side.rawValue) }
            }
            #expect(counter.all == [side.rawValue: 1])
            #expect(router.opened == [side: side.rawValue])
        }
    }

    @Test func `a side that failed to open is tried again, and the other is not touched`() async throws {
        let counter = Counter()
        let router = router(counter, failures: 1)
        await #expect(throws: Refused.self) { try await router.port(at: .candidateOnly) }
        #expect(router.opened.isEmpty)
        #expect(try await router.port(at: .candidateOnly) == "candidate")
        #expect(counter.all == ["candidate": 2])
    }
}
