import CofferdamGate
import Testing

@Suite struct ReferenceValueTests {
    @Test(
        arguments: [
            (1, 1, 0), (0.5, 0.5, 1.144729885849400), (2, 3, -2.484906649788000), (1, 10_000, -9.210340371976184),
            (4, 10_997, -35.430297225488), (3, 1e8, -54.568895081297),
        ]
    )
    func `ln B has its reference value, from both sides`(a: Double, b: Double, value: Double) {
        #expect(abs(logBeta(a, b) - value) < 1e-6)
        #expect(logBeta(a, b) == logBeta(b, a))
    }

    @Test(arguments: [(0.0, 1.0), (-1, 1), (1, 0), (.nan, 1)])
    func `there is no beta function of what is not above 0`(a: Double, b: Double) {
        #expect(logBeta(a, b).isNaN)
    }

    @Test(arguments: [(0, 4603, 0.0009999712), (1, 4603, 0.0014412965), (5, 10_000, 0.0013103170)])
    func `the upper bound of Clopper and Pearson at 99 %`(failures: Int, total: Int, bound: Double) {
        #expect(abs(ConfidenceBounds.upper(FailureCounts(failures, of: total), alpha: 0.01) - bound) < 1e-9)
    }

    @Test(arguments: [0, 1, 7, 250, 499, 500])
    func `lower and upper bounds mirror each other`(failures: Int) {
        let counts = FailureCounts(failures, of: 500)
        let mirrored = FailureCounts(500 - failures, of: 500)
        let lower = ConfidenceBounds.lower(counts, alpha: 0.05)
        #expect(abs(lower - (1 - ConfidenceBounds.upper(mirrored, alpha: 0.05))) < 1e-9)
        #expect(lower <= ConfidenceBounds.upper(counts, alpha: 0.05))
    }

    @Test func `nothing counted bounds nothing`() {
        #expect(ConfidenceBounds.upper(.none, alpha: 0.01) == 1)
        #expect(ConfidenceBounds.lower(.none, alpha: 0.01) == 0)
        #expect(ConfidenceBounds.upper(FailureCounts(3, of: 2), alpha: 0.01).isNaN)
        #expect(ConfidenceBounds.upper(FailureCounts(1, of: 2), alpha: 0).isNaN)
    }

    @Test func `bounds of a million are found too`() {
        let bound = ConfidenceBounds.upper(FailureCounts(10_000, of: 1_000_000), alpha: 0.01)
        #expect(abs(bound - 0.010234) < 1e-5)
    }

    @Test(arguments: [(0.001, 0.01, 4603), (0.01, 0.05, 299), (0.0001, 0.01, 46_050)])
    func `this many without a failure show a rate at a single look`(rate: Double, alpha: Double, total: Int) {
        #expect(SampleSizes.withoutFailure(rate: rate, alpha: alpha) == total)
    }

    @Test(arguments: [(0, 0.01), (1, 0.01), (0.1, 0), (0.1, 1), (.nan, 0.5)])
    func `impossible rates need no number of samples`(rate: Double, alpha: Double) {
        #expect(SampleSizes.withoutFailure(rate: rate, alpha: alpha) == nil)
        #expect(SampleSizes.toPromote(failures: 0, limit: rate, alpha: alpha) == nil)
    }
}
