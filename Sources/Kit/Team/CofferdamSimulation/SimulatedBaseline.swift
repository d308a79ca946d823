import Cofferdam
import CofferdamSupport
import CofferdamGate

extension SimulatedWorld {
    /// The slow limits in nanoseconds, by operation: as the evidence has them after it has watched the legacy
    /// side, or a fixed limit if the world has no pace.
    ///
    /// - Parameter calls: the number of calls that are watched.
    func slowLimits(calls: Int, _ random: inout SplitMix64) -> [String: Int64] {
        guard let pace else {
            return Dictionary(operations.map { ($0.name, 6_000_000) }) { first, _ in first }
        }
        var durations: [String: LatencyHistogram] = [:]
        for number in 0..<calls {
            let name = operations[number % operations.count].name
            let duration = pace.duration(.legacy, &random)
            durations[name, default: LatencyHistogram()].record(duration.wholeNanoseconds)
        }
        let limits = durations.slowLimits(margin: LatencyHistogram.slowMargin, minimum: calls)
        return limits?.mapValues(\.wholeNanoseconds) ?? [:]
    }

    /// The baseline of the legacy side after `legacyOnly`, in one run.
    func baseline(_ slow: [String: Int64], _ random: inout SplitMix64) -> LegacyBaseline {
        let callers = callers(of: baselineUnits, &random)
        var failures = operations.map { _ in 0 }
        var answers: [String: Int] = [:]
        var gaveUp = 0
        for strike in strikes() where strike.fault.side == .legacy {
            let struck = random.binomial(baselineUnits, strike.rate)
            switch strike.fault.kind {
            case .failed, .crash: failures[strike.operation] += struck
            case .answer(let kind): answers[kind, default: 0] += struck
            case .givenUp: gaveUp += struck
            case .mismatch, .slow, .hanging, .opened: break
            }
        }
        var known: [String: LegacyBaseline.Operation] = [:]
        let poisoned = random.binomial(baselineUnits, poison)
        for (place, operation) in operations.enumerated() where callers[place] > 0 && !operation.isNew {
            known[operation.name] = LegacyBaseline.Operation(
                units: FailureCounts(min(failures[place], callers[place]), of: callers[place]),
                isRead: operation.isRead,
                slowNanoseconds: slow[operation.name] ?? 6_000_000
            )
        }
        let all = FailureCounts(min(baselineUnits, failures.reduce(poisoned, +)), of: baselineUnits)
        return LegacyBaseline(
            units: all,
            operations: known,
            answers: answers.filter { $0.value > 0 },
            gaveUp: min(baselineUnits, gaveUp)
        )
    }
}
