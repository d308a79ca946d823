import Cofferdam
import CofferdamSupport
import CofferdamGate
import Foundation
import TestSupport
import Testing

@Suite struct ChangeDetectorTests {
    private typealias Period = ChangeDetector.Period

    private static func value(_ counts: [FailureCounts], expected: Double) -> Double {
        ChangeDetector.result(of: counts.map { Period($0, expected: expected) }).value
    }

    @Test func `the first period has the mean likelihood ratio of its alternatives`() {
        // The odds of the alternatives to 0.2 = 1 : 4, from 1 : 2 to 50 : 1.
        let odds = (0..<8).map { 0.5 * pow(100, Double($0) / 7) }
        let ratios = odds.map { odds -> Double in
            let rate = odds / (1 + odds)
            return pow(rate / 0.2, 2) * (1 - rate) / 0.8
        }
        let value = Self.value([FailureCounts(2, of: 3)], expected: 0.2)
        #expect(abs(value - log(ratios.reduce(0, +) / 8)) < 1e-12)
    }

    @Test func `a period begins anew with what the ones before came to, plus one`() {
        let one = Self.value([FailureCounts(1, of: 1)], expected: 0.5)
        // A period without units says nothing; in others each alternative is multiplied by itself.
        #expect(Self.value([FailureCounts(1, of: 1), .none], expected: 0.5) == one)
        let ratios = (0..<8).map { number -> Double in
            let odds = 2 * pow(25, Double(number) / 7)
            return odds / (1 + odds) / 0.5
        }
        let two = log(ratios.reduce(0) { $0 + (1 + $1) * $1 } / 8)
        #expect(abs(Self.value([FailureCounts(1, of: 1), FailureCounts(1, of: 1)], expected: 0.5) - two) < 1e-12)
    }

    /// With the limit, and the greatest number of failing units that may be needed.
    @Test(arguments: [(0.001, 4), (0.01, 5), (0.05, 8)])
    func `a break for all is seen after a few units, however long everything was fine`(_ limit: Double, _ most: Int) {
        let fine = [FailureCounts](repeating: FailureCounts(0, of: 3_000), count: 40)
        let threshold = log(10.0 * 8_766 * 10)
        let needed = (1...100).first {
            Self.value(fine + [FailureCounts($0, of: $0)], expected: limit) >= threshold
        }
        #expect(needed.map { $0 <= most } == true, "\(needed ?? 0)")
        let result = ChangeDetector.result(
            of: (fine + [FailureCounts(5, of: 5), FailureCounts(4, of: 4)]).map { Period($0, expected: limit) }
        )
        #expect(result.start == 40)
    }

    @Test(arguments: [0.001, 0.01, 0.1]) func `at the limit it rings no more often than it says`(_ limit: Double) {
        var random = SplitMix64(seed: 7)
        let (hours, runs, bound) = (400, 25, 100.0)
        var alarms = 0
        for _ in 0..<runs {
            var periods: [Period] = []
            for _ in 0..<hours {
                let failures = (0..<60).count { _ in Double.random(in: 0..<1, using: &random) < limit }
                periods.append(Period(FailureCounts(failures, of: 60), expected: limit))
                guard ChangeDetector.result(of: periods.suffix(48)).value >= log(bound) else { continue }
                alarms += 1
                periods = []
            }
        }
        // The mean time is at least `bound` hours, so there are at most 100 in 10,000 hours, and usually far fewer.
        #expect(alarms <= 100, "\(alarms)")
    }

    @Test func `what is impossible says nothing`() {
        let periods = [
            Period(FailureCounts(3, of: 2), expected: 0.1), Period(FailureCounts(1, of: 1), expected: 0),
            Period(FailureCounts(1, of: 1), expected: 1), Period(FailureCounts(1, of: 1), expected: .nan),
            Period(.none, expected: 0.1),
        ]
        #expect(ChangeDetector.result(of: periods).value == -.infinity)
        #expect(ChangeDetector.result(of: []).value == -.infinity)
    }
}
