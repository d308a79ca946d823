import Cofferdam
import struct Synchronization.Atomic

/// The attempts at a call: one, or a second one on the other side.
extension RoutePath {
    /// The decision for a call that has begun.
    func decision(of call: borrowing RoutedAttempt) -> SessionDecision {
        guard let decision = call.decision as? SessionDecision else {
            // Proof: only `begin` sets it, to a decision of the call's session.
            preconditionFailure("the call has not begun")
        }
        return decision
    }

    /// Begins an attempt. It is ready unless it must wait for its side or for the memory of writes.
    @inline(__always)
    func attempt(
        _ operation: borrowing OperationTraits,
        on side: Side,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) {
        call.side = side
        let isWrite = isWrite(operation, on: side)
        call.isRecorded = call.isTimed || !decision.isDirect || call.shadow != nil || isWrite
        if call.isTimed || !decision.isDirect, let breakers = settings.breakers {
            guard let permit = permit(of: breakers, operation.name, side, orElse: call.other, decision) else {
                _ = finish(.refused, operation, decision, &call)
                return
            }
            call.permit = permit
        }
        guard isOpen(side), !isWrite || decision.calls.writes.isNoted(settings.capability) else { return }
        ask(operation, decision, &call)
    }

    /// Prepares an attempt that must wait.
    ///
    /// - Returns: what the caller gets if there is no attempt.
    func prepareNext(
        _ operation: OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) async -> (any Error)? {
        if let first = call.first, !call.isFallback {
            if await belongsToSameUser(operation) {
                fallBack(operation, decision, &call)
                return nil
            }
            return stay(after: first, operation, decision, &call)
        }
        let (side, start) = (call.side, now())
        do {
            try await open(Instance(answering: side), of: side, for: decision.kind, decision.calls)
            call.opening = now() - start
            if isWrite(operation, on: side) {
                try await decision.calls.writes.recordUpcomingWrite(settings.capability, settings.memory)
            }
            ask(operation, decision, &call)
            return nil
        } catch {
            (call.isOpened, call.opening) = (false, now() - start)
            return finish(Attempt(notOpened: error, settings.failures), operation, decision, &call)
        }
    }

    @inline(__always)
    private func ask(
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) {
        call.isReady = true
        // Of any call: its caller may give up.
        if call.isRecorded || observedAs != nil { call.time = now() }
        if call.isTimed || !decision.isDirect, !call.isFallback { tellBeginning(operation, decision, &call) }
        began(call.side, decision.kind, decision.calls)
    }

    private func tellBeginning(
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) {
        guard let observer = settings.observer else { return }
        call.number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        observer.began(
            CallInFlight(
                number: call.number,
                operation: operation.name,
                stage: decision.stage,
                epoch: decision.epoch,
                hour: decision.hour,
                unit: decision.calls.unit,
                key: decision.calls.key,
                hasEntered: decision.hasEntered,
                isNamed: decision.isNamed,
                side: call.side
            )
        )
    }

    func end(
        _ operation: borrowing OperationTraits,
        _ error: (any Error)?,
        _ call: inout RoutedAttempt
    ) -> (any Error)? {
        if notesCalls { ended(call.side, decision(of: call).kind, decision(of: call).calls) }
        if error == nil, !call.isRecorded {
            decision(of: call).calls.end()
            return nil
        }
        let decision = decision(of: call)
        let duration = call.isRecorded || observedAs != nil ? now() - call.time : .zero
        return finish(Attempt(error, took: duration, settings.failures), operation, decision, &call)
    }

    private func finish(
        _ attempt: Attempt,
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) -> (any Error)? {
        call.isReady = false
        if let permit = call.permit as? BreakerUse {
            permit.breaker.finish(permit.permit, BreakerOutcome(attempt.outcome), took: attempt.duration)
            call.permit = nil
        }
        if isWrite(operation, on: call.side), attempt.mayHaveWritten {
            decision.calls.writes.recordWrite(settings.capability)
        }
        if let first = call.report as? RoutedCall { report(first, attempt, &call) }
        let called = call.isReported ? nil : report(of: attempt, operation, decision, call)
        call.isReported = false
        if call.shadow != nil { compare(attempt, operation, decision, &call) }
        let fallsBack =
            attempt.error != nil && call.first == nil && call.other != nil && attempt.permitsFallback(operation.effect)
        // What the fallback comes to is part of the report.
        if fallsBack { call.report = called } else if let called { settings.observer?.called(called) }
        guard let error = attempt.error else {
            decision.calls.end()
            return nil
        }
        switch call.first {
        case nil:
            let first = RoutedAttempt.FirstAttempt(attempt, error)
            guard fallsBack else { return stay(after: first, operation, decision, &call) }
            call.first = first
            if operation.ownership == .shared || settings.isSameUser == nil { fallBack(operation, decision, &call) }
            return nil
        case .refused: return thrown(error, decision, call)
        case .failed(let first, let isUnknown):
            // If neither side answered, report the error of the unit's own side, unless the fallback may have carried
            // out a write that the first side certainly did not.
            let mayBeDone = operation.effect != .read && attempt.isUnknown && !isUnknown
            return thrown(!attempt.hasFailed || mayBeDone ? error : first, decision, call)
        }
    }

    /// Begins the attempt on the other side.
    private func fallBack(
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) {
        guard let other = call.other else { return }
        // From now on no other side may answer, so no breaker refuses.
        (call.other, call.isFallback, call.opening) = (nil, true, .zero)
        attempt(operation, on: other, decision, &call)
    }

    /// Ends a call that does not fall back, or lets it through if only the breaker refused it.
    private func stay(
        after first: RoutedAttempt.FirstAttempt,
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) -> (any Error)? {
        (call.first, call.other) = (nil, nil)
        if let first = call.report as? RoutedCall { report(first, nil, &call) }
        switch first {
        case .failed(let error, _): return thrown(error, decision, call)
        case .refused:
            attempt(operation, on: call.side, decision, &call)
            return nil
        }
    }

    /// Ends a call.
    ///
    /// - Returns: what its caller gets.
    private func thrown(
        _ error: any Error,
        _ decision: SessionDecision,
        _ call: borrowing RoutedAttempt
    ) -> any Error {
        decision.calls.end()
        // An unmarked cursor may belong to neither side, and then this error says nothing about the unit's side.
        guard call.isForeign, !(error is CancellationError) else { return error }
        return if case .none = call.cursor { StaleCursor() } else { error }
    }

    private func isWrite(_ operation: borrowing OperationTraits, on side: Side) -> Bool {
        isSeparate && side == .candidate && operation.effect != .read
    }

    /// Asks the breaker of the side, which never refuses a call that no other side can answer.
    private func permit(
        of breakers: Breakers,
        _ operation: String,
        _ side: Side,
        orElse other: Side?,
        _ decision: SessionDecision
    ) -> BreakerUse? {
        let isOtherEligible = other.map { !breakers[$0, operation].isRefusing } ?? false
        var breaker = breakers[side, operation]
        if decision.isNamed, side == .candidate {
            // A breaker that refuses other units refuses named units too; failures of named units never open it.
            if isOtherEligible, breaker.isRefusing { return nil }
            breaker = breakers.forNamedUnits(operation)
        }
        return breaker.permit(isOtherSideEligible: isOtherEligible).map { BreakerUse(breaker: breaker, permit: $0) }
    }

    // MARK: Reports

    /// Reports a first attempt, after the one on the other side if there was one.
    private func report(_ first: RoutedCall, _ second: Attempt?, _ call: inout RoutedAttempt) {
        call.report = nil
        var first = first
        first.hasFailedOnBoth = first.hasFailed && second?.hasFailed ?? false
        settings.observer?.called(first)
    }

    /// The report of an attempt: of each one where calls may fall back; otherwise of those that are timed and those
    /// without a value.
    private func report(
        of attempt: Attempt,
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: borrowing RoutedAttempt
    ) -> RoutedCall? {
        let isFailure = attempt.error != nil && decision.calls.isWatched
        guard settings.observer != nil, call.isTimed || isFailure || !decision.isDirect else { return nil }
        // How long a caller waited that gives up is known of every call, and alike on both sides.
        let isTimed = call.isTimed || attempt.outcome == .cancelled
        let isReached = if case .notOpened = attempt.outcome { false } else { true }
        return RoutedCall(
            capability: settings.capability,
            operation: operation.name,
            effect: operation.effect,
            stage: decision.stage,
            epoch: decision.epoch,
            hour: decision.hour,
            unit: decision.calls.unit,
            key: decision.calls.key,
            hasEntered: decision.hasEntered,
            isNamed: decision.isNamed,
            sample: decision.sample,
            side: call.side,
            role: call.isFallback ? .fallback : .first,
            outcome: attempt.outcome,
            answer: attempt.answer,
            duration: isTimed && isReached ? attempt.duration : nil,
            opening: call.opening,
            number: call.isFallback ? 0 : call.number
        )
    }

    func givenUp(_ operation: OperationTraits, _ call: RoutedAttempt) {
        // While the fallback is asked, the first attempt's failure is reported when that ends.
        let attempt = Attempt(givenUpAfter: now() - call.time)
        if let called = report(of: attempt, operation, decision(of: call), call) { settings.observer?.called(called) }
    }

    // MARK: Shadow

    /// Takes a place for the comparison of an attempt; reports it as cancelled if the caller has given up, and as
    /// dropped if the queue is full.
    private func compare(
        _ first: Attempt,
        _ operation: borrowing OperationTraits,
        _ decision: SessionDecision,
        _ call: inout RoutedAttempt
    ) {
        if first.outcome == .cancelled || Task.isCancelled {
            report(JudgedComparison(.cancelled), of: operation.name, by: decision)
        } else if let place = settings.shadowQueue.place() {
            (call.comparison, call.time) = (place, first.duration)
        } else {
            report(JudgedComparison(.dropped), of: operation.name, by: decision)
        }
    }
}

/// A breaker that was asked, and its permit for an attempt.
private final class BreakerUse: Sendable {
    let breaker: Breaker
    let permit: BreakerPermit

    init(breaker: Breaker, permit: BreakerPermit) { (self.breaker, self.permit) = (breaker, permit) }
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

extension SessionDecision {
    fileprivate var kind: CandidateCall.Kind { .answering(isNamed: isNamed) }
}

extension Attempt {
    /// Returns whether the other side may be asked, if there is one.
    fileprivate func permitsFallback(_ effect: Effect) -> Bool {
        switch outcome {
        case .answered, .cancelled: false
        case .notOpened, .refused: CallPlan.permitsFallback(after: .unsent, effect: effect)
        case .failed(let meaning, _): CallPlan.permitsFallback(after: meaning, effect: effect)
        }
    }
}

extension RoutedAttempt.FirstAttempt {
    fileprivate init(_ attempt: Attempt, _ error: any Error) {
        self = attempt.outcome == .refused ? .refused : .failed(error, isUnknown: attempt.isUnknown)
    }
}
