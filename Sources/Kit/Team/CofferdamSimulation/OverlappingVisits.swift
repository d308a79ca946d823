import Cofferdam
import CofferdamSupport
import CofferdamGate

/// Units that arrive one after another and stay: their windows are open as long as they stay, and failing units fail at
/// the end. The real evidence counts them by a clock, and the gate is asked repeatedly.
struct OverlappingVisits {
    /// How long units stay: those whose visit ends well, and those whose visit fails. None stays longer than a window.
    var clean: Duration
    var failing: Duration
    /// The number of units that arrive per second.
    var arrivals: Int

    private static let operation = "search"
    /// The number of units after which the gate is asked again.
    private static let asking = 200

    /// The verdict that ends a stage at which that share of the units fails.
    func verdict(of gate: Gate, failing rate: Double, _ random: inout SplitMix64) -> GateVerdict {
        let operation = LegacyBaseline.Operation(units: FailureCounts(0, of: 20_000), slowNanoseconds: 1_000_000_000)
        let baseline = LegacyBaseline(units: FailureCounts(0, of: 20_000), operations: [Self.operation: operation])
        var evidence = EpochEvidence(EpochKey(stage: gate.stage), baseline: baseline)
        // The units in the order in which they leave: units that stay equally long leave in the order of arrival.
        var (leaving, failingOnes) = ([Int](), [Int]())
        var (nextClean, nextFailing) = (0, 0)
        // There are not many more units than the horizon counts.
        for number in 0..<(2 * gate.horizon) {
            let now = Duration.milliseconds(number * 1_000 / arrivals)
            func left(_ unit: Int, after stay: Duration) -> Bool {
                Duration.milliseconds(unit * 1_000 / arrivals) + stay <= now
            }
            while nextFailing < failingOnes.count, left(failingOnes[nextFailing], after: failing) {
                let unit = failingOnes[nextFailing]
                record(.candidateFailed, unit, &evidence, at: now)
                evidence.end("\(unit)")
                nextFailing += 1
            }
            while nextClean < leaving.count, left(leaving[nextClean], after: clean) {
                evidence.end("\(leaving[nextClean])")
                nextClean += 1
            }
            if number % Self.asking == 0, let ended = ending(of: gate, evidence) { return ended }
            record(.match, number, &evidence, at: now)
            if random.uniform() <= rate { failingOnes.append(number) } else { leaving.append(number) }
        }
        return .undecided
    }

    private func record(
        _ outcome: ComparisonOutcome,
        _ unit: Int,
        _ evidence: inout EpochEvidence,
        at now: Duration
    ) {
        let times: [Side: Duration] = [.legacy: .milliseconds(10), .candidate: .milliseconds(10)]
        evidence.record(outcome, of: Self.operation, unit: "\(unit)", durations: times, at: now)
    }

    /// The gate's verdict; nil while it holds.
    private func ending(of gate: Gate, _ evidence: EpochEvidence) -> GateVerdict? {
        let verdict = gate.decide(evidence.reading(afterSeconds: 0, breaker: BreakerHistory(), isKept: true)).verdict
        return verdict == .hold ? nil : verdict
    }
}
