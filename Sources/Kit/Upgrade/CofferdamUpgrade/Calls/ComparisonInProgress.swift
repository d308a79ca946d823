import Cofferdam

extension RoutePath {
    var comparing: (any TaskExecutor)? { settings.shadowQueue.executor }

    func wait(at place: ComparisonPlace, _ continuation: UnsafeContinuation<Bool, Never>) {
        settings.shadowQueue.wait(at: place, continuation)
    }

    nonisolated(nonsending) func compare<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ first: Result<Output, any Error>,
        _ ports: SidePorts<Port>,
        _ call: ComparedCall
    ) async {
        defer { settings.shadowQueue.end() }
        guard let shadow = call.shadow, let decision = call.decision as? SessionDecision else { return }
        let comparison = ComparisonInProgress(path: self, decision: decision, shadow: shadow)
        let attempt =
            if !call.isOpened, case .failure(let error) = first {
                ComparedAttempt<Output>(Attempt(notOpened: error, settings.failures), nil)
            } else {
                ComparedAttempt(first, took: call.time, settings.failures)
            }
        await comparison.run(operation, input, attempt, ports)
    }
}

/// The comparison of one call, off its caller's path.
private struct ComparisonInProgress {
    let path: RoutePath
    let decision: SessionDecision
    /// The side that is asked for comparison.
    let shadow: Side

    private var settings: RouteSettings { path.settings }

    func run<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ first: ComparedAttempt<Output>,
        _ ports: SidePorts<Port>
    ) async {
        guard let comparator = operation.comparator else { return }
        let input = operation.progress?.muted(input) ?? input
        let second = await attempt(shadow, operation, input, ports)
        let (legacy, candidate) = shadow == .candidate ? (first, second) : (second, first)
        let judge = ShadowJudge(comparator: comparator, expectations: settings.expectations, subject: operation.name)
        let judgement = await judge.compare(legacy: legacy.answer, candidate: candidate.answer) {
            await attempt(.legacy, operation, input, ports).answer
        }
        let durations = [Side.legacy: legacy.duration, .candidate: candidate.duration]
        path.report(judgement, of: operation.name, by: decision, durations)
    }

    /// Opening has the same deadline as the call: a side that hangs does not block a worker forever, and the next call
    /// joins the opening.
    private func attempt<Port, Input, Output>(
        _ side: Side,
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ ports: SidePorts<Port>
    ) async -> ComparedAttempt<Output> {
        let start = path.now()
        do {
            return try await abandoning(
                after: settings.shadowDeadline,
                on: settings.clock,
                executor: settings.executor
            ) {
                await attemptNow(side, operation, input, ports)
            }
        } catch {
            return ComparedAttempt(.failure(error), took: path.now() - start, settings.failures)
        }
    }

    private func attemptNow<Port, Input, Output>(
        _ side: Side,
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ ports: SidePorts<Port>
    ) async -> ComparedAttempt<Output> {
        let instance = Instance(shadowing: side)
        do {
            try await path.open(instance, of: side, for: .shadow, decision.calls)
        } catch {
            return ComparedAttempt(Attempt(notOpened: error, settings.failures), nil)
        }
        let start = path.now()
        do {
            let output = try await path.noting(side, .shadow, decision.calls) {
                try await operation(ports.port(instance), input)
            }
            return ComparedAttempt(.success(output), took: path.now() - start, settings.failures)
        } catch {
            return ComparedAttempt(.failure(error), took: path.now() - start, settings.failures)
        }
    }
}

/// One side's part of a comparison.
private struct ComparedAttempt<Output: Sendable>: Sendable {
    let answer: ComparedAnswer<Output>
    /// The time that the call took, without opening the side.
    let duration: Duration

    init(_ result: Result<Output, any Error>, took duration: Duration, _ failures: ErrorClassifier) {
        switch result {
        case .success(let output): self.init(Attempt(nil, took: duration, failures), output)
        case .failure(let error): self.init(Attempt(error, took: duration, failures), nil)
        }
    }

    init(_ attempt: Attempt, _ output: Output?) {
        (answer, duration) = (attempt.compared(output), attempt.duration)
    }
}

extension RoutePath {
    func report(
        _ judgement: JudgedComparison,
        of operation: String,
        by decision: SessionDecision,
        _ durations: [Side: Duration] = [:]
    ) {
        settings.observer?.compared(
            ShadowComparison(
                capability: settings.capability,
                operation: operation,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: decision.calls.unit,
                outcome: judgement.outcome,
                differences: judgement.differences,
                expectation: judgement.expectation,
                durations: durations
            )
        )
    }
}
