import Cofferdam

extension TimeOperation {
    /// At least one for each of the ``rules``. The mutant that is found only when its rule's time is up runs with the
    /// first call alone.
    public var mutants: [Mutant<Subject>] {
        let hanging = calls.first.map { call in [waitsForEver(call).of(call.name)] } ?? []
        return hanging
            + Mutant.each(
                calls.map { call in
                    let rules = rules(of: call).filter { $0.inapplicability == nil }.map(\.id)
                    return (call.name, mutants(of: call).filter { rules.contains($0.rule) })
                }
            )
    }

    private func waitsForEver(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        mutant(call, "TIME-01", "measures its deadline on another clock") { _, clean, effect in
            do {
                return try await clean()
            } catch  where isTimeUp(call)(error) {
                effect.occurred()
                return try await vendorCall {
                    (complete: @escaping @Sendable (Result<any Sendable, any Error>) -> Void) in
                    VendorCancellation { withExtendedLifetime(complete) {} }
                }
            }
        }
    }

    private func mutants(of call: ProbedCall<Subject>) -> [Mutant<Subject>] {
        [
            mutant(call, "TIME-02", "starts again when the answer stalls") { _, clean, effect in
                do {
                    return try await clean()
                } catch  where isTimeUp(call)(error) {
                    effect.occurred()
                    return try await clean()
                }
            },
            mutant(call, "TIME-03", "allows a quarter of the deadline for the whole answer") { subject, clean, effect in
                let (clock, limit) = (try clock(subject), idleLimit?(subject) ?? deadline(subject))
                let begin = clock.now
                let answer = try await clean()
                guard begin.duration(to: clock.now) >= limit / 4 else { return answer }
                effect.occurred()
                throw Deviation("too slow")
            },
            Mutant("TIME-04", "gives each attempt the whole deadline") { subject, effect in
                call.call.decorated(in: subject) { clean in
                    do {
                        return try await clean()
                    } catch  where isTimeUp(call)(error) {
                        effect.occurred()
                        return try await clean()
                    }
                }
            },
            mutant(call, "TIME-05", "retries every failure") { _, clean, effect in
                do {
                    return try await clean()
                } catch {
                    effect.occurred()
                    return try await clean()
                }
            },
            throwsLate(call), answersLate(call),
            mutant(call, "TIME-08", "never gives up a connection") { _, clean, effect in
                for _ in 0..<attempts {
                    do { return try await clean() } catch { effect.occurred() }
                }
                return try await clean()
            },
        ] + (idleLimit.map { [waitsIdly(call, beyond: $0)] } ?? [])
    }

    private func waitsIdly(_ call: ProbedCall<Subject>, beyond idleLimit: @escaping @Sendable (Subject) -> Duration)
        -> Mutant<Subject>
    {
        mutant(call, "TIME-02", "ignores the idle timeout, and waits until the deadline") { subject, clean, effect in
            do {
                return try await clean()
            } catch  where isTimeUp(call)(error) {
                effect.occurred()
                try await clock(subject).sleep(for: deadline(subject) - idleLimit(subject))
                throw error
            }
        }
    }

    private func answersLate(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("TIME-07", "answers the next call with the previous call's answer") { subject, effect in
            let late = Mutex<AnyPortCall<Subject>.Perform?>(nil)
            return call.call.decorated(in: subject) { clean in
                if let answer = late.withLock({ $0.take() }) {
                    effect.occurred()
                    return try await answer()
                }
                do {
                    return try await clean()
                } catch  where isTimeUp(call)(error) || error is CancellationError {
                    late.withLock { $0 = clean }
                    throw error
                }
            }
        }
    }

    private func throwsLate(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("TIME-06", "gives the next caller the previous caller's answer") { subject, effect in
            let late = Mutex<(any Error)?>(nil)
            return call.call.decorated(in: subject) { clean in
                if let error = late.withLock({ $0.take() }) {
                    effect.occurred()
                    throw error
                }
                do {
                    return try await clean()
                } catch  where isTimeUp(call)(error) {
                    late.withLock { $0 = error }
                    throw error
                }
            }
        }
    }

    private func mutant(
        _ call: ProbedCall<Subject>,
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (_ clean: Subject, @escaping AnyPortCall<Subject>.Perform, MutantEffect) async throws ->
            any Sendable
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            call.call.decorated(in: subject) { try await operation(subject, $0, effect) }
        }
    }
}
