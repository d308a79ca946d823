import Cofferdam
import CofferdamUpgrade
import Testing

@Suite struct StageSourceTests {
    private static let allowed = """
        legacyOnly, aa, shadow(SAMPLE), canary(SHARE), arms, candidateWithFallback, candidateShadowed(SAMPLE), candidateOnly; SAMPLE \
        and SHARE are 0 to 10000
        """

    @Test(
        arguments: [
            (nil, .legacyOnly), ("", .legacyOnly), ("legacyOnly", .legacyOnly), ("candidateOnly", .candidateOnly),
            ("shadow(10000)", .shadow(sample: .all)), ("canary(500)", .canary(share: 500)),
        ] as [(String?, Stage)]
    )
    func `the environment names the stage, and a missing one is the default`(value: String?, stage: Stage) async throws
    {
        let source = EnvironmentStageSource("STAGE", read: { $0 == "STAGE" ? value : nil })
        #expect(try await source.stage() == stage)
    }

    @Test(arguments: ["canary", "CandidateOnly", " candidateOnly", "1"])
    func `a wrong value is not followed, and the error names the variable and what is allowed`(
        value: String
    ) async throws {
        let source = EnvironmentStageSource("STAGE", read: { _ in value })
        let error = await #expect(throws: StageError.self) { try await source.stage() }
        #expect(error?.code == .unknownStage)
        #expect(error?.subject == "STAGE")
        #expect(error?.description == "STAGE: \"\(value)\" is not a stage; valid stages: \(Self.allowed)")
    }

    @Test func `the process's own environment is read by default`() async throws {
        #expect(try await EnvironmentStageSource("COFFERDAM_STAGE_THAT_NOBODY_SETS").stage() == .legacyOnly)
        let error = await #expect(throws: StageError.self) { try await EnvironmentStageSource("PATH").stage() }
        #expect(error?.code == .unknownStage)
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
        // Repeatedly: a caller may check just before the side is open, and ask just after.
        for _ in 0..<200 {
            let counter = Counter()
            let router = router(counter)
            #expect(router.opened.isEmpty)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await router.port(at: stage) } }
                for try await port in group { #expect(port == side.rawValue) }
            }
            #expect(counter.all == [side.rawValue: 1])
            #expect(router.opened == [side.rawValue])
        }
    }

    @Test(
        arguments: [
            .shadow(sample: .all), .canary(share: 500), .candidateWithFallback, .candidateShadowed(sample: .all),
        ] as [Stage]
    )
    func `a stage that needs both sides is refused, and nothing is opened`(stage: Stage) async {
        let counter = Counter()
        let router = router(counter)
        let error = await #expect(throws: StageError.self) { try await router.port(at: stage) }
        #expect(error?.code == .unsupportedStage)
        #expect(error?.subject == stage.rawValue)
        #expect(error?.message.contains("legacyOnly, candidateOnly") == true)
        #expect(counter.all.isEmpty)
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
