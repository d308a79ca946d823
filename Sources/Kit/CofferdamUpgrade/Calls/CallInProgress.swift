import Cofferdam
import struct Synchronization.Atomic

/// One call, carried out according to its plan.
///
/// Each call of an async function costs as much as two locks: what every call passes is one function, by inlining.
struct CallInProgress {
    let decision: SessionDecision
    let plan: CallPlan
    let path: RoutePath
    let session: UnitSession
    let operation: OperationTraits
    /// The cursor as its side issued it, if it had a mark.
    let cursor: String?
    /// Whether the call is timed for the evidence.
    let isTimed: Bool

    private var effect: Effect { operation.effect }
    private var kind: CandidateCall.Kind { .answering(isNamed: decision.isNamed) }

    /// Makes one attempt, or a second one on the other side.
    ///
    /// - Returns: the side that answered.
    @inline(__always)
    func run(_ call: CallPath.Attempting, _ comparing: CallPath.Comparing) async throws -> Side {
        var (side, role, other) = (plan.first, RoutedCall.Role.first, plan.fallback)
        var first: Attempt?
        while true {
            let attempt = await attempt(side, as: role, orElse: other, call)
            if let shadow = plan.shadow { compare(attempt, with: shadow, comparing) }
            guard let error = attempt.error else { return side }
            if let first {
                // If neither side answered, report the error of the unit's own side, unless the fallback may have
                // carried out a write that the first side certainly did not.
                let mayBeDone = effect != .read && attempt.isUnknown && !first.isUnknown
                let returnsSecond = !attempt.hasFailed || first.outcome == .refused || mayBeDone
                throw returnsSecond ? error : first.error ?? error
            }
            if let fallback = other, permitsFallback(after: attempt.outcome), await path.belongsToSameUser(operation) {
                first = attempt
                (side, role) = (fallback, .fallback)
            } else if attempt.outcome != .refused {
                throw error
            }
            // From now on no other side may answer, so no breaker refuses.
            other = nil
        }
    }

    private func permitsFallback(after outcome: RoutedCall.Outcome) -> Bool {
        switch outcome {
        case .answered, .cancelled: false
        case .notOpened, .refused: CallPlan.permitsFallback(after: .unsent, effect: effect)
        case .failed(let meaning, _): CallPlan.permitsFallback(after: meaning, effect: effect)
        }
    }

    // MARK: Attempts

    /// - Parameter other: the side that may answer instead.
    @inline(__always)
    private func attempt(
        _ side: Side,
        as role: RoutedCall.Role,
        orElse other: Side?,
        _ call: CallPath.Attempting
    ) async -> Attempt {
        var permit: (breaker: Breaker, permit: BreakerPermit)?
        if !decision.isDirect, let breakers = path.settings.breakers {
            guard let permitted = self.permit(of: breakers, side, orElse: other) else {
                report(.refused, of: side, role)
                return .refused
            }
            permit = permitted
        }
        let needsTime = isTimed || permit != nil || plan.shadow != nil
        let isWrite = path.isSeparate && side == .candidate && effect != .read
        var attempt: Attempt
        var isReported = false
        do {
            if !path.isOpen(side) { try await path.open(Instance(answering: side), of: side, for: kind, session) }
            if isWrite { try await session.writes.recordUpcomingWrite(path.settings.capability, path.settings.memory) }
            let start = needsTime ? path.now() : .zero
            let error: (any Error)?
            if isTimed {
                // A cancellation is reported when it happens: the side may hang, and then the call never ends.
                let watch = CancellationWatch()
                error = await withTaskCancellationHandler {
                    watch.begin()
                    let error = await self.error(of: side, call)
                    isReported = !watch.end()
                    return error
                } onCancel: {
                    if watch.end() { report(.cancelled, of: side, role, took: path.now() - start) }
                }
            } else {
                error = await self.error(of: side, call)
            }
            attempt = Attempt(error, took: needsTime ? path.now() - start : .zero, path.settings.failures)
        } catch {
            attempt = Attempt(notOpened: error, path.settings.failures)
        }
        if let (breaker, permit) = permit {
            breaker.finish(permit, BreakerOutcome(attempt.outcome), took: attempt.duration)
        }
        if isWrite, attempt.mayHaveWritten { session.writes.recordWrite(path.settings.capability) }
        if !isReported { report(attempt, of: side, role) }
        return attempt
    }

    @inline(__always)
    private func error(of side: Side, _ call: CallPath.Attempting) async -> (any Error)? {
        path.began(side, kind, session)
        defer { path.ended(side, kind, session) }
        do {
            try await call(side, cursor)
            return nil
        } catch {
            return error
        }
    }

    /// Asks the breaker of the side, which never refuses a call that no other side can answer.
    private func permit(
        of breakers: Breakers,
        _ side: Side,
        orElse other: Side?
    ) -> (breaker: Breaker, permit: BreakerPermit)? {
        let isOtherEligible = other.map { !breakers[$0, operation.name].isRefusing } ?? false
        var breaker = breakers[side, operation.name]
        if decision.isNamed, side == .candidate {
            // A breaker that refuses other units refuses named units too; failures of named units never open it.
            if isOtherEligible, breaker.isRefusing { return nil }
            breaker = breakers.forNamedUnits(operation.name)
        }
        return breaker.permit(isOtherSideEligible: isOtherEligible).map { (breaker, $0) }
    }

    // MARK: Reports

    /// Reports an attempt: each one where calls may fall back; otherwise those that are timed and those without a value.
    @inline(__always)
    private func report(_ attempt: Attempt, of side: Side, _ role: RoutedCall.Role) {
        let isFailure = attempt.error != nil && attempt.outcome != .cancelled && session.isWatched
        guard isTimed || isFailure || !decision.isDirect else { return }
        report(attempt.outcome, of: side, role, answer: attempt.answer, took: isTimed ? attempt.duration : nil)
    }

    private func report(
        _ outcome: RoutedCall.Outcome,
        of side: Side,
        _ role: RoutedCall.Role,
        answer: String? = nil,
        took duration: Duration? = nil
    ) {
        let isReached = if case .notOpened = outcome { false } else { true }
        path.settings.observer?.called(
            RoutedCall(
                capability: path.settings.capability,
                operation: operation.name,
                effect: effect,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: session.unit,
                isNamed: decision.isNamed,
                sample: decision.sample,
                side: side,
                role: role,
                outcome: outcome,
                answer: answer,
                duration: isReached ? duration : nil
            )
        )
    }

    // MARK: Shadow

    /// Starts the comparison of an attempt; reports it as cancelled if the caller has given up, and as dropped if the
    /// queue is full.
    private func compare(_ first: Attempt, with shadow: Side, _ comparing: CallPath.Comparing) {
        if first.outcome == .cancelled || Task.isCancelled {
            path.report(JudgedComparison(.cancelled), of: operation.name, by: decision, session)
        } else if let place = path.settings.shadowQueue.place() {
            let comparison = ComparisonInProgress(
                path: path,
                decision: decision,
                session: session,
                shadow: shadow,
                place: place,
                duration: first.duration
            )
            comparing(comparison, first.error)
        } else {
            path.report(JudgedComparison(.dropped), of: operation.name, by: decision, session)
        }
    }
}

extension BreakerOutcome {
    fileprivate init(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .succeeded
        case .failed, .notOpened: self = .failed
        case .cancelled, .refused: self = .cancelled
        }
    }
}

/// Whether a call is in flight that its caller may give up.
private struct CancellationWatch: ~Copyable {
    private let isInFlight = Atomic<Bool>(false)

    borrowing func begin() { isInFlight.store(true, ordering: .releasing) }

    /// - Returns: whether the call was in flight: it ends once, with its result or when its caller gives up.
    borrowing func end() -> Bool { isInFlight.exchange(false, ordering: .acquiringAndReleasing) }
}
