import Cofferdam
import CofferdamGate
import Foundation
import Testing
import UpgradeTestSupport

@Suite struct AgreedDifferenceTests {
    private static func expectation(
        _ id: String,
        _ path: String,
        rate: Double = 0.1,
        expires: Int64? = nil,
        from legacy: String? = "0",
        to candidates: [String?] = ["unknown"]
    ) -> AgreedDifference {
        let change = ExpectedDifference.Change(from: legacy, to: candidates)
        let difference = ExpectedDifference(id: id, path: path, reason: "decided", changes: [change])
        return AgreedDifference(difference, rate: rate, expires: expires)
    }

    private static func difference(_ path: String, _ legacy: String? = "0") -> Difference {
        Difference(subject: "a-1", path: path, legacy: legacy, candidate: "unknown")
    }

    private let expectations = AgreedDifferences(
        [expectation("D5", "legs", rate: 0.1), expectation("D6", "name", rate: 0.02, expires: 100)],
        at: 99
    )

    @Test(
        arguments: [
            ([], ComparisonOutcome.match, nil), (["legs"], .expected, "D5"), (["name"], .expected, "D6"),
            (["legs", "name"], .expected, "D6"), (["name", "legs"], .expected, "D6"), (["weight"], .mismatch, nil),
            (["legs", "weight"], .mismatch, nil),
        ] as [([String], ComparisonOutcome, String?)]
    )
    func `a comparison is as good as its worst difference`(
        paths: [String],
        outcome: ComparisonOutcome,
        expectation: String?
    ) {
        let result = expectations.outcome(of: paths.map { Self.difference($0) })
        #expect(result.outcome == outcome)
        #expect(result.expectation == expectation)
    }

    @Test(arguments: [(98, true), (99, true), (100, false), (101, false)] as [(Int64, Bool)])
    func `after it expires, a difference is a mismatch and the epoch a new one`(now: Int64, isForeseen: Bool) {
        let later = AgreedDifferences(expectations.all, at: now)
        #expect(later.outcome(of: [Self.difference("name")]).outcome == (isForeseen ? .expected : .mismatch))
        #expect(Set(later.signatures.keys) == (isForeseen ? ["D5", "D6"] : ["D5"]))
        #expect((later.signatures == expectations.signatures) == isForeseen)
    }

    private static let changed: [AgreedDifference] = [
        expectation("D5", "legs", rate: 0.2), expectation("D5", "heads"), expectation("D5", "legs", from: nil),
        expectation("D5", "legs", to: ["unknown", nil]), expectation("D5", "legs", to: ["unknown|nothing"]),
    ]

    @Test(arguments: changed) func `everything that it covers is in its signature`(expectation: AgreedDifference) {
        let first = AgreedDifferences([Self.expectation("D5", "legs")], at: 0)
        #expect(AgreedDifferences([expectation], at: 0).signatures != first.signatures)
        #expect(Set(Self.changed.map { AgreedDifferences([$0], at: 0).signatures }).count == Self.changed.count)
    }

    @Test func `of two with the same id the first one applies`() {
        let twice = AgreedDifferences(
            [Self.expectation("D5", "legs"), Self.expectation("D5", "name", rate: 0.5)],
            at: 0
        )
        #expect(twice.all.map(\.rate) == [0.1])
        #expect(twice.outcome(of: [Self.difference("name")]).outcome == .mismatch)
    }

    @Test func `an expected difference counts from the comparison to the decision`() throws {
        let stage = Stage.shadow(sample: .all)
        let plan = try Readings.plan { $0.tolerate(expectations.all) }
        let baseline = LegacyBaseline(
            units: FailureCounts(0, of: 10_000),
            operations: ["read": .init(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1_000)]
        )
        func decision(showing path: String, each units: Int) throws -> Decision {
            var evidence = EpochEvidence(
                EpochKey(stage: stage, expectations: expectations.signatures),
                baseline: baseline
            )
            for unit in 0..<8_000 {
                let differences = unit.isMultiple(of: units) ? [Self.difference(path)] : []
                let (outcome, expectation) = expectations.outcome(of: differences)
                evidence.record(outcome, of: "read", unit: "\(unit)", expectation: expectation, at: .zero)
            }
            evidence.settle(until: .seconds(600))
            return plan.attempt(1, against: baseline).gate(at: stage).decide(evidence.reading(afterSeconds: 60))
        }
        #expect(try decision(showing: "legs", each: 20).verdict == .promote)
        let tooOften = try decision(showing: "name", each: 20)
        #expect(tooOften.verdict == .hold)
        #expect(tooOften.reasons.map(\.metric) == [.expected("D6")])
        #expect(try decision(showing: "weight", each: 20).verdict == .rollBack)
    }
}
