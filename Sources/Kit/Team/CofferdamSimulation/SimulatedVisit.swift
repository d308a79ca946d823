import Cofferdam
import CofferdamGate

/// The counts that the real evidence makes of one unit's visit at a stage. Counts of several units can be added.
struct SimulatedVisit {
    /// The counts of all operations together.
    private(set) var whole: [Metric: FailureCounts] = [:]
    /// The counts of the visit's own operation.
    private(set) var own: [Metric: FailureCounts] = [:]

    /// - Parameters:
    ///   - arm: the side that answers the unit.
    ///   - fault: the fault that affects the operation; nil for a visit on which nothing goes wrong.
    init(
        at stage: Stage,
        by arm: Side,
        of operation: Int,
        _ fault: SimulatedWorld.Fault?,
        in world: SimulatedWorld,
        _ baseline: LegacyBaseline
    ) {
        var evidence = EpochEvidence(EpochKey(stage: stage), baseline: baseline)
        let name = world.operations[operation].name
        var calls: [(operation: Int, fault: SimulatedWorld.Fault?)] = []
        // Every unit calls at least one of the first two operations.
        let before = max((fault?.place ?? 1) - 1, operation > 1 ? 1 : 0)
        for _ in 0..<before { calls.append((operation == 0 ? 1 : 0, nil)) }
        for _ in 0..<(fault?.calls ?? 1) { calls.append((operation, fault)) }
        for (second, call) in calls.enumerated() {
            let now = Duration.seconds(second)
            if case .opened? = call.fault?.kind, call.fault?.side == .candidate {
                evidence.recordOpening(isFailed: false)
            }
            evidence.record(call.fault, by: arm, of: world.operations[call.operation], at: now)
            guard stage.compares(arm), world.operations[call.operation].isRead else { continue }
            evidence.compare(call.fault, world.operations[call.operation], at: now)
        }
        evidence.settle(until: EpochEvidence.window * 2)
        let known = baseline.metrics
        for (metric, counts) in evidence.reading(afterSeconds: 0).metrics where counts.total > 0 && known[metric] == nil
        {
            if metric.operation == name {
                own[metric] = counts
            } else if metric.operation == nil, metric != .openings, metric.isCountedAtStage {
                whole[metric] = counts
            }
        }
    }
}

extension EpochEvidence {
    /// Records the unit's own call.
    fileprivate mutating func record(
        _ fault: SimulatedWorld.Fault?,
        by arm: Side,
        of operation: SimulatedWorld.Operation,
        at now: Duration
    ) {
        let limit = baseline?.slowLimit(of: operation.name) ?? .seconds(1)
        var (ending, answer, took) = (CallEnding.answered, String?.none, limit / 4)
        if let fault, fault.side == arm {
            switch fault.kind {
            // Opening is not part of a call's duration.
            case .mismatch, .opened: break
            case .failed: ending = .failed
            case .answer(let kind): answer = kind
            case .givenUp(let after): (ending, took) = (.cancelled, after)
            case .slow: took = limit * 2
            case .crash:
                let candidates = arm == .candidate ? 1 : 0
                return recordCrash(
                    "simulated",
                    calls: candidates,
                    units: candidates,
                    legacyUnits: 1 - candidates,
                    at: now
                )
            case .hanging:
                let rows = rows(
                    of: operation.name,
                    UnitKey.key(of: "unit"),
                    arm == .legacy ? .legacy : .candidate
                )
                began(rows)
                return recordLate(rows, isSlow: true, at: now + limit)
            }
        }
        record(ending, by: arm, of: operation.name, unit: "unit", answer: answer, took: took, at: now)
    }

    /// Records the comparison of the same call on both sides.
    fileprivate mutating func compare(
        _ fault: SimulatedWorld.Fault?,
        _ operation: SimulatedWorld.Operation,
        at now: Duration
    ) {
        let limit = baseline?.slowLimit(of: operation.name) ?? .seconds(1)
        var durations: [Side: Duration] = [.legacy: limit / 4, .candidate: limit / 4]
        var outcome = ComparisonOutcome.match
        if let fault {
            switch (fault.kind, fault.side) {
            case (.opened, _), (.crash, _): break
            case (.failed, .candidate): outcome = .candidateFailed
            case (.failed, .legacy): outcome = .legacyFailed
            case (.mismatch, _), (.answer, _): outcome = .mismatch
            case (.givenUp, .candidate), (.hanging, .candidate): outcome = .candidateTimedOut
            case (.givenUp, .legacy), (.hanging, .legacy): outcome = .legacyTimedOut
            case (.slow, let side): durations[side] = limit * 2
            }
        }
        record(outcome, of: operation.name, unit: "unit", durations: durations, at: now)
    }
}

extension Stage {
    /// Whether the other side is asked too, for units that `arm` answers.
    func compares(_ arm: Side) -> Bool {
        switch kind {
        case .shadow, .candidateShadowed: true
        case .canary: arm == .legacy
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: false
        }
    }

    /// The sides that answer units at this stage, and the share of the units of each.
    var arms: [(side: Side, share: Double)] {
        switch self {
        case .legacyOnly, .aa, .shadow: [(.legacy, 1)]
        case .arms: [(.candidate, 0.5), (.legacy, 0.5)]
        case .canary(let share) where share != .all:
            [(.candidate, share.fraction), (.legacy, 1 - share.fraction)]
        case .canary, .candidateWithFallback, .candidateShadowed, .candidateOnly: [(.candidate, 1)]
        }
    }
}

extension Metric {
    /// Whether it is counted at the stage, and not known from before.
    fileprivate var isCountedAtStage: Bool {
        self != .legacyFailures && !rawValue.hasPrefix(Metric.legacyAnswers("").rawValue)
    }
}
