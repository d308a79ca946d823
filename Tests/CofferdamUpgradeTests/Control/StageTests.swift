import Cofferdam
import CofferdamUpgrade
import Foundation
import Testing

@Suite struct StageTests {
    private static let allowed = """
        legacyOnly, aa, shadow(SAMPLE), canary(SHARE), arms, candidateWithFallback, candidateShadowed(SAMPLE), candidateOnly; SAMPLE \
        and SHARE are 0 to 10000
        """

    private static let texts: [(String, Stage, Side?)] = [
        ("legacyOnly", .legacyOnly, .legacy), ("shadow(0)", .shadow(sample: .none), .legacy),
        ("shadow(10000)", .shadow(sample: .all), .legacy), ("canary(500)", .canary(share: 500), nil),
        ("canary(10000)", .canary(share: .all), nil), ("candidateWithFallback", .candidateWithFallback, .candidate),
        ("candidateShadowed(100)", .candidateShadowed(sample: 100), .candidate),
        ("candidateOnly", .candidateOnly, .candidate),
    ]

    @Test(arguments: texts)
    func `a stage is written as its text, in JSON too`(text: String, stage: Stage, side: Side?) throws {
        #expect(stage.rawValue == text)
        #expect(Stage(rawValue: text) == stage)
        #expect("\(stage)" == text)
        #expect(stage.side == side)
        let json = try JSONEncoder().encode([stage])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONDecoder().decode([Stage].self, from: json) == [stage])
    }

    @Test func `the stages rise in their order, and with their share`() {
        let stages = Self.texts.map(\.1)
        #expect(stages.shuffled().sorted() == stages)
        for (first, second) in zip(stages, stages) { #expect(!(first < second)) }
    }

    @Test(
        arguments: [
            "", "canary", "canary()", "canary(-1)", "canary(+5)", "canary(05)", "canary(10001)", "canary(5", "canary 5",
            "canary(5)x", "canary(5.0)", "Canary(5)", "legacyOnly(5)", "legacyOnly()", "canary(99999999999999999999)",
            " canary(5)", "canary(٥)",
        ]
    )
    func `no other text is a stage`(text: String) throws {
        #expect(Stage(rawValue: text) == nil)
        let json = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Stage].self, from: json) }
    }

    @Test(arguments: [(-1, false), (0, true), (10_000, true), (10_001, false), (Int.max, false)])
    func `a share is 0 to 10,000`(number: Int, isShare: Bool) {
        #expect((Share(tenThousandths: number) != nil) == isShare)
    }

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
