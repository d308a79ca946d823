import Cofferdam

/// One call on its way, by its plan.
struct CallInProgress<Port: Sendable>: Sendable {
    let decision: SessionDecision
    let plan: CallPlan
    let route: RouteCore<Port>
    let operation: String
    let effect: Effect

    private var settings: RouteSettings { route.settings }

    func run<Input: Sendable, Output: Sendable>(
        _ input: Input,
        comparing comparator: () -> Comparator<Output>?,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) async throws -> (output: Output, side: Side) {
        let first = await attempt(plan.first, as: .first, orElse: plan.fallback, input, body)
        if let shadow = plan.shadow {
            if first.outcome == .cancelled {
                told(JudgedComparison(.cancelled))
            } else if !settings.lane.hasPlace() {
                told(JudgedComparison(.dropped))
            } else if let comparator = comparator() {
                compare(first, with: shadow, by: comparator, input, body)
            }
        }
        guard let fallback = plan.fallback, permitsFallback(after: first.outcome) else {
            return (try first.result.get(), plan.first)
        }
        return (try await attempt(fallback, as: .fallback, orElse: nil, input, body).result.get(), fallback)
    }

    private func permitsFallback(after outcome: RoutedCall.Outcome) -> Bool {
        switch outcome {
        case .answered, .cancelled: false
        case .notOpened, .refused: CallPlan.permitsFallback(after: .unsent, effect: effect, backing: settings.backing)
        case .failed(let meaning, _):
            CallPlan.permitsFallback(after: meaning, effect: effect, backing: settings.backing)
        }
    }

    private func attempt<Input: Sendable, Output: Sendable>(
        _ side: Side,
        as role: RoutedCall.Role,
        orElse other: Side?,
        _ input: Input,
        _ body: Route<Port>.Body<Input, Output>
    ) async -> Attempt<Output> {
        let attempt = await attemptIfPermitted(side, orElse: other) {
            await Attempt.of(settings, open: { try await open(Instance(answering: side), side) }) { port in
                try await route.noting(side) { try await body(port, input) }
            }
        }
        if side == .candidate, effect != .read, attempt.mayHaveWritten { route.session.noteCandidateWrite() }
        if let observer = settings.observer {
            observer.called(
                RoutedCall(
                    capability: settings.capability,
                    operation: operation,
                    stage: decision.stage,
                    epoch: decision.epoch,
                    unit: route.session.unit,
                    side: side,
                    role: role,
                    outcome: attempt.outcome,
                    duration: attempt.duration
                )
            )
        }
        return attempt
    }

    /// Opening is a call too, which may end everything.
    private func open(_ instance: Instance, _ side: Side) async throws -> Port {
        if let port = route.ports.opened(instance) { return port }
        return try await route.noting(side) { try await route.ports.port(instance) }
    }

    /// Asks the side's breaker, which refuses nobody whom no other side would take.
    private func attemptIfPermitted<Output: Sendable>(
        _ side: Side,
        orElse other: Side?,
        _ make: () async -> Attempt<Output>
    ) async -> Attempt<Output> {
        guard let breakers = settings.breakers else { return await make() }
        let breaker = breakers[side, operation]
        let isOtherEligible = other.map { !breakers[$0, operation].isRefusing } ?? false
        guard let permit = breaker.permit(isOtherSideEligible: isOtherEligible) else { return .refused }
        let attempt = await make()
        breaker.finish(permit, BreakerOutcome(attempt.outcome), took: attempt.duration)
        return attempt
    }

    // MARK: In the shadow

    private func compare<Input: Sendable, Output: Sendable>(
        _ first: Attempt<Output>,
        with shadow: Side,
        by comparator: Comparator<Output>,
        _ input: Input,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) {
        let isTaken = settings.lane.submit {
            let second = await attemptInShadow(shadow, input, body)
            let (legacy, candidate) = shadow == .candidate ? (first, second) : (second, first)
            let judge = ShadowJudge(comparator: comparator, settings: settings, subject: operation)
            let judgement = await judge.compare(legacy: legacy, candidate: candidate) {
                await attemptInShadow(.legacy, input, body)
            }
            told(judgement, [.legacy: legacy.duration, .candidate: candidate.duration])
        }
        if !isTaken { told(JudgedComparison(.dropped)) }
    }

    private func attemptInShadow<Input: Sendable, Output: Sendable>(
        _ side: Side,
        _ input: Input,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) async -> Attempt<Output> {
        await Attempt.of(settings, open: { try await open(Instance(shadowing: side), side) }) { port in
            try await abandoning(
                after: settings.shadowDeadline,
                on: settings.clock,
                executor: settings.executor
            ) {
                try await route.noting(side) { try await body(port, input) }
            }
        }
    }

    private func told(_ judgement: JudgedComparison, _ durations: [Side: Duration] = [:]) {
        guard let observer = settings.observer else { return }
        observer.compared(
            ShadowComparison(
                capability: settings.capability,
                operation: operation,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: route.session.unit,
                outcome: judgement.outcome,
                differences: judgement.differences,
                expectation: judgement.expectation,
                durations: durations
            )
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
