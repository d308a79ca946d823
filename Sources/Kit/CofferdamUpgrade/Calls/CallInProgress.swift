import Cofferdam

/// One call, carried out according to its plan.
struct CallInProgress<Port: Sendable>: Sendable {
    let decision: SessionDecision
    let plan: CallPlan
    let route: Route<Port>
    let session: UnitSession
    let operation: OperationTraits
    /// Whether the call is timed for the evidence.
    let isTimed: Bool

    private var settings: RouteSettings { route.settings }
    private var effect: Effect { operation.effect }
    private var kind: CandidateCall.Kind { .answering(isNamed: decision.isNamed) }

    func run<Input: Sendable, Output: Sendable>(
        _ body: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> (output: Output, side: Side) {
        let first = await attempt(plan.first, as: .first, orElse: plan.fallback, input, body)
        if let comparator = body.comparator, let shadow = plan.shadow {
            route.path.submit(operation.name, by: decision, session) {
                await compare(first, with: shadow, input, by: comparator, body)
            }
        }
        guard let fallback = plan.fallback, permitsFallback(after: first.outcome),
            await route.belongsToSameUser(operation)
        else {
            guard first.outcome == .refused else { return (try first.result.get(), plan.first) }
            // No other side may answer, so the breaker does not refuse this attempt.
            return (try await attempt(plan.first, as: .first, orElse: nil, input, body).result.get(), plan.first)
        }
        let second = await attempt(fallback, as: .fallback, orElse: nil, input, body)
        // If neither side answered, report the error of the unit's own side, unless the fallback may have carried out a
        // write that the first side certainly did not.
        let mayBeDone = effect != .read && second.isUnknown && !first.isUnknown
        let returnsSecond = !second.hasFailed || first.outcome == .refused || mayBeDone
        return (try (returnsSecond ? second : first).result.get(), fallback)
    }

    private func permitsFallback(after outcome: RoutedCall.Outcome) -> Bool {
        switch outcome {
        case .answered, .cancelled: false
        case .notOpened, .refused: CallPlan.permitsFallback(after: .unsent, effect: effect)
        case .failed(let meaning, _): CallPlan.permitsFallback(after: meaning, effect: effect)
        }
    }

    private func attempt<Input: Sendable, Output: Sendable>(
        _ side: Side,
        as role: RoutedCall.Role,
        orElse other: Side?,
        _ input: Input,
        _ body: PortOperation<Port, Input, Output>
    ) async -> Attempt<Output> {
        let watch = isTimed && settings.observer != nil ? CancellationWatch() : nil
        let attempt = await attemptIfPermitted(side, orElse: other) {
            await reportingCancellation(watch, side, role) {
                await Attempt.of(
                    settings,
                    now: route.path.now,
                    open: { try await opened(side) },
                    began: { watch?.begin(at: $0) }
                ) { port in
                    try await route.path.noting(side, kind, session) { try await body(port, input) }
                }
            }
        }
        if isWrite(on: side), attempt.mayHaveWritten { session.writes.recordWrite(settings.capability) }
        guard watch?.isReported != true else { return attempt }
        report(attempt.outcome, of: side, role, answer: attempt.answer, took: isTimed ? attempt.duration : nil)
        return attempt
    }

    /// Reports a cancellation when it happens: the side may hang, and then the call never ends.
    private func reportingCancellation<Output: Sendable>(
        _ watch: CancellationWatch?,
        _ side: Side,
        _ role: RoutedCall.Role,
        _ make: () async -> Attempt<Output>
    ) async -> Attempt<Output> {
        guard let watch else { return await make() }
        return await withTaskCancellationHandler {
            let attempt = await make()
            watch.end()
            return attempt
        } onCancel: {
            guard let began = watch.cancel() else { return }
            report(.cancelled, of: side, role, took: route.path.now() - began)
        }
    }

    private func report(
        _ outcome: RoutedCall.Outcome,
        of side: Side,
        _ role: RoutedCall.Role,
        answer: String? = nil,
        took duration: Duration?
    ) {
        let isReached = if case .notOpened = outcome { false } else { true }
        settings.observer?.called(
            RoutedCall(
                capability: settings.capability,
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

    /// Whether the call is recorded as a write of the unit: see ``DataOwnership/separate``.
    private func isWrite(on side: Side) -> Bool { route.isSeparate && side == .candidate && effect != .read }

    private func opened(_ side: Side) async throws -> Port {
        let port = try await route.port(Instance(answering: side), of: side, for: kind, session)
        if isWrite(on: side) { try await session.writes.recordUpcomingWrite(settings.capability, settings.memory) }
        return port
    }

    /// Asks the breaker of the side, which never refuses a call that no other side can answer.
    private func attemptIfPermitted<Output: Sendable>(
        _ side: Side,
        orElse other: Side?,
        _ make: () async -> Attempt<Output>
    ) async -> Attempt<Output> {
        guard let breakers = settings.breakers else { return await make() }
        let isOtherEligible = other.map { !breakers[$0, operation.name].isRefusing } ?? false
        var breaker = breakers[side, operation.name]
        if decision.isNamed, side == .candidate {
            // A breaker that refuses other units refuses named units too; failures of named units never open it.
            if isOtherEligible, breaker.isRefusing { return .refused }
            breaker = breakers.forNamedUnits(operation.name)
        }
        guard let permit = breaker.permit(isOtherSideEligible: isOtherEligible) else { return .refused }
        let attempt = await make()
        breaker.finish(permit, BreakerOutcome(attempt.outcome), took: attempt.duration)
        return attempt
    }

    // MARK: Shadow

    /// Asks the other side too, and reports how the two answers compare.
    func compare<Input: Sendable, Output: Sendable>(
        _ first: Attempt<Output>,
        with shadow: Side,
        _ input: Input,
        by comparator: Comparator<Output>,
        _ body: PortOperation<Port, Input, Output>
    ) async {
        if first.outcome == .cancelled {
            return route.path.report(JudgedComparison(.cancelled), of: operation.name, by: decision, session)
        }
        let second = await attemptInShadow(shadow, input, body)
        let (legacy, candidate) = shadow == .candidate ? (first, second) : (second, first)
        let (expectations, failures) = (settings.expectations, settings.failures)
        let judge = ShadowJudge(comparator: comparator, expectations: expectations, subject: operation.name)
        let judgement = await judge.compare(
            legacy: legacy.compared(failures),
            candidate: candidate.compared(failures)
        ) {
            await attemptInShadow(.legacy, input, body).compared(failures)
        }
        let durations = [Side.legacy: legacy.duration, .candidate: candidate.duration]
        route.path.report(judgement, of: operation.name, by: decision, session, durations)
    }

    /// Opening has the same deadline as the call: a side that hangs does not block a worker forever, and the next call
    /// joins the opening.
    private func attemptInShadow<Input: Sendable, Output: Sendable>(
        _ side: Side,
        _ input: Input,
        _ body: PortOperation<Port, Input, Output>
    ) async -> Attempt<Output> {
        let (route, session, settings) = (route, session, settings)
        let start = route.path.now()
        do {
            return try await abandoning(
                after: settings.shadowDeadline,
                on: settings.clock,
                executor: settings.executor
            ) {
                await Attempt.of(
                    settings,
                    now: route.path.now,
                    open: { try await route.port(Instance(shadowing: side), of: side, for: .shadow, session) }
                ) { port in
                    try await route.path.noting(side, .shadow, session) { try await body(port, input) }
                }
            }
        } catch {
            return Attempt(.failure(error), took: route.path.now() - start, settings.failures)
        }
    }
}

extension ShadowComparison {
    init(
        _ judgement: JudgedComparison,
        of operation: String,
        for session: UnitSession,
        by decision: SessionDecision,
        _ settings: RouteSettings,
        _ durations: [Side: Duration] = [:]
    ) {
        self.init(
            capability: settings.capability,
            operation: operation,
            stage: decision.stage,
            epoch: decision.epoch,
            unit: session.unit,
            outcome: judgement.outcome,
            differences: judgement.differences,
            expectation: judgement.expectation,
            durations: durations
        )
    }
}

extension BreakerOutcome {
    init(_ outcome: RoutedCall.Outcome) {
        switch outcome {
        case .answered: self = .succeeded
        case .failed, .notOpened: self = .failed
        case .cancelled, .refused: self = .cancelled
        }
    }
}

/// Detects whether the caller of one call gives up before the call ends.
final class CancellationWatch: Sendable {
    private enum State {
        case opening
        case called(since: Duration)
        case ended, reported
    }

    private let state = Mutex(State.opening)

    /// Records that the side is open and the call begins.
    func begin(at time: Duration) {
        state.withLock { if case .opening = $0 { $0 = .called(since: time) } }
    }

    /// Records that the call ended; a later cancellation has no effect.
    func end() {
        state.withLock { if case .called = $0 { $0 = .ended } }
    }

    /// Records that the caller gives up.
    ///
    /// - Returns: when the call began; nil if the call is not in flight.
    func cancel() -> Duration? {
        state.withLock { state in
            guard case .called(let since) = state else { return nil }
            state = .reported
            return since
        }
    }

    /// Whether the cancellation was reported.
    var isReported: Bool { state.withLock { if case .reported = $0 { true } else { false } } }
}
