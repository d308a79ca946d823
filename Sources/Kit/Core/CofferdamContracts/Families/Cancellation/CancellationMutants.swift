import Cofferdam

extension CancellationOperation {
    /// At least one for each of the ``rules``. A mutant that is found only when its rule's time is up runs with the
    /// first call alone.
    public var mutants: [Mutant<Subject>] {
        let waiting = calls.first.map { call in hanging(call).map { $0.of(call.name) } } ?? []
        return Mutant.each(
            calls.map { call in
                let rules = rules(of: call).filter { $0.inapplicability == nil }.map(\.id)
                let searching = searches.filter { $0.call.name == call.name }.flatMap { mutants(of: $0) }
                return (call.name, mutants(of: call).filter { rules.contains($0.rule) } + searching)
            }
        ) + waiting
    }

    private func mutants(of call: ProbedCall<Subject>) -> [Mutant<Subject>] {
        [
            mutant(call, "CANC-01", "calls the vendor for a task that is already cancelled") { clean, effect in
                if Task.isCancelled { effect.occurred() }
                return try await Task(executorPreference: nil) { try await clean() }.value
            },
            mutant(call, "CANC-02", "reports a cancellation as a network error") { clean, effect in
                do {
                    return try await clean()
                } catch is CancellationError {
                    effect.occurred()
                    throw Deviation("the connection was closed")
                }
            },
            mutant(call, "CANC-02", "makes a request that does not reach the vendor") { _, effect in
                effect.occurred()
                throw Deviation("the request is malformed")
            },
            mutant(call, "CANC-03", "reads to the end anyway") { clean, effect in
                do {
                    return try await clean()
                } catch is CancellationError {
                    effect.occurred()
                    return try await Task(executorPreference: nil) { try await clean() }.value
                }
            },
            mutant(call, "CANC-04", "returns to the caller, and lets the vendor continue") { clean, effect in
                try await vendorCall { complete in
                    let work = Task(executorPreference: nil) { try await clean() }
                    Task(executorPreference: nil) { complete(await work.result) }
                    return VendorCancellation { effect.occurred() }
                }
            },
            poisoned(call),
            Mutant("CANC-06", "cancels all concurrent calls with the one that is cancelled") { subject, effect in
                let fate = SharedFate(effect)
                return call.call.decorated(in: subject) { try await fate.perform($0) }
            },
        ]
    }

    private func hanging(_ call: ProbedCall<Subject>) -> [Mutant<Subject>] {
        [
            mutant(call, "CANC-07", "waits for a callback that never comes") { clean, effect in
                do {
                    return try await clean()
                } catch {
                    effect.occurred()
                    return try await Self.nothing()
                }
            },
            mutant(call, "CANC-08", "hangs once it is closed") { clean, effect in
                do {
                    return try await clean()
                } catch  where isClosed(error) {
                    effect.occurred()
                    return try await Self.nothing()
                }
            },
        ]
    }

    private func poisoned(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("CANC-05", "stops working once a call was cancelled") { subject, effect in
            let isPoisoned = Mutex(false)
            return call.call.decorated(in: subject) { clean in
                if isPoisoned.withLock({ $0 }) {
                    effect.occurred()
                    throw Deviation("the connection is closed")
                }
                do {
                    return try await clean()
                } catch is CancellationError {
                    isPoisoned.withLock { $0 = true }
                    throw CancellationError()
                }
            }
        }
    }

    /// Ends only when cancelled.
    private static func nothing() async throws -> any Sendable {
        try await vendorCall { (complete: @escaping @Sendable (Result<any Sendable, any Error>) -> Void) in
            // Dropping the completion would end the call.
            VendorCancellation { withExtendedLifetime(complete) {} }
        }
    }

    private func mutant(
        _ call: ProbedCall<Subject>,
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (@escaping AnyPortCall<Subject>.Perform, MutantEffect) async throws ->
            any Sendable
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            call.call.decorated(in: subject) { try await operation($0, effect) }
        }
    }
}
