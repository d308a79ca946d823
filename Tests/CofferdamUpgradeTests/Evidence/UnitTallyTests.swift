import Cofferdam
@testable import CofferdamUpgrade
import Testing

@Suite struct UnitTallyTests {
    @Test func `a unit counts once, when it has made its calls, with the worst of them`() {
        var tally = UnitTally<ComparisonOutcome>(callsPerUnit: 3)
        let early = [tally.record(.match, unit: "a"), tally.record(.mismatch, unit: "a")]
        #expect(early == [nil, nil])
        #expect(tally.counted == 0)
        #expect(tally.started == 1)
        let last = tally.record(.match, unit: "a")
        #expect(last == .mismatch)
        // What comes later does not matter, good or bad.
        let late = tally.record(.candidateFailed, unit: "a")
        #expect(late == nil)
        #expect(tally.counts == [.mismatch: 1])
        #expect(tally.counted == 1)
        #expect(tally.started == 1)
    }

    @Test func `the verdict is the worst, whatever the order of the calls`() {
        let outcomes: [ComparisonOutcome] = [.match, .noisy, .expected, .mismatch, .candidateFailed]
        for first in outcomes {
            for second in outcomes {
                var tally = UnitTally<ComparisonOutcome>(callsPerUnit: 2)
                tally.record(first, unit: "a")
                let verdict = tally.record(second, unit: "a")
                #expect(verdict == max(first, second))
            }
        }
    }

    @Test(arguments: [1, 2, 5]) func `the memory is bounded whatever is recorded`(calls: Int) {
        var tally = UnitTally<CallOutcome>(callsPerUnit: calls, capacity: 100)
        for unit in 0..<5_000 {
            tally.record(.succeeded, unit: "\(unit)")
            #expect(tally.remembered <= 400)
        }
        #expect(tally.started == 5_000)
        #expect(tally.counted == (calls == 1 ? 5_000 : 0))
        #expect(tally.abandoned >= (calls == 1 ? 0 : 4_800))
    }

    @Test func `no unit counts twice among as many as are remembered`() {
        var tally = UnitTally<CallOutcome>(capacity: 1_000)
        for round in 0..<3 {
            for unit in 0..<1_000 { tally.record(.succeeded, unit: "\(unit)") }
            #expect(tally.counted == 1_000, "round \(round)")
        }
    }

    /// A plain model, with dictionaries that forget nothing.
    @Test(arguments: 0..<20) func `it counts as a plain model does`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let calls = Int.random(in: 1...4, using: &random)
        var tally = UnitTally<ComparisonOutcome>(callsPerUnit: calls)
        var model: [String: [ComparisonOutcome]] = [:]
        for _ in 0..<1_000 {
            let unit = "\(Int.random(in: 0..<100, using: &random))"
            let outcome = ComparisonOutcome.allCases.randomElement(using: &random) ?? .match
            tally.record(outcome, unit: unit)
            model[unit, default: []].append(outcome)
        }
        var counts: [ComparisonOutcome: Int] = [:]
        for outcomes in model.values where outcomes.count >= calls {
            counts[outcomes.prefix(calls).max() ?? .match, default: 0] += 1
        }
        #expect(tally.counts == counts)
        #expect(tally.started == model.count)
        #expect(tally.abandoned == 0)
    }
}
