import Cofferdam
import CofferdamGate
import Foundation
import Testing

@Suite struct StageTests {
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
}
