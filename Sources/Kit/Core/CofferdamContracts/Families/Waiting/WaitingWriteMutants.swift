import Cofferdam

extension WaitingWrite {
    /// At least one for each of the ``rules`` that applies.
    public var mutants: [Mutant<Subject>] {
        var mutants = [makesTwo]
        if let reopen = opening.reopen { mutants.append(forgetsKeys(at: reopen)) }
        guard reach != nil else { return mutants }
        guard keeping != nil else {
            return mutants + [careless("WAIT-01", "sends later what it has reported as failed") { kept, _ in kept }]
        }
        return mutants + [
            careless("WAIT-01", "sends a kept write twice") { kept, _ in kept + kept.prefix(1).map(another) },
            careless("WAIT-01", "sends the latest first") { kept, _ in kept.reversed() },
            careless("WAIT-01", "keeps one of two with equal contents") { kept, _ in kept.dropLast() },
            careless(
                "WAIT-02",
                "sends a kept write, and does not recognise it when it is made again",
                forgetsKeys: true
            ) {
                kept,
                _ in kept
            },
            careless("WAIT-03", "keeps writes in memory only", survivesRelaunch: false) { kept, _ in kept },
            careless("WAIT-04", "sends under another key what it has no answer to") { kept, attempt in
                attempt == 1 ? kept : kept.map(another)
            },
            careless("WAIT-05", "keeps what the vendor refuses, before all others") { kept, _ in kept },
            careless("WAIT-05", "drops what the vendor refuses without a word", dropsFailures: true) { kept, _ in kept
            },
            careless("WAIT-06", "sends what is kept as the signed-in user's") { kept, _ in kept },
        ]
    }

    private var makesTwo: Mutant<Subject> {
        Mutant("WAIT-07", "takes the second of two calls with one key for another write") { subject, effect in
            let calls = Mutex(0)
            return call.replaced(in: subject) { clean, draft in
                let isSecond = calls.withLock { calls in
                    calls += 1
                    return calls == 2
                }
                guard isSecond else { return try await clean(draft) }
                effect.occurred()
                return try await clean(another(draft))
            }
        }
    }

    private func forgetsKeys(at reopen: PortCall<Subject, Void, Subject>) -> Mutant<Subject> {
        Mutant("LIFE-07", "forgets at a relaunch which keys it sent") { subject, effect in
            reopen.replaced(in: subject) { clean, _ in
                call.replaced(in: try await clean(())) { clean, draft in
                    effect.occurred()
                    return try await clean(another(draft))
                }
            }
        }
    }

    /// A subject before which a careless outbox stands: it keeps what cannot be sent, and sends it with the next write.
    ///
    /// - Parameters:
    ///   - dropsFailures: whether it goes on after a failure, and drops what has failed.
    ///   - sent: what it sends of what is kept, in this order, at the attempt with this number, from 1.
    private func careless(
        _ rule: RuleID,
        _ name: String,
        forgetsKeys: Bool = false,
        survivesRelaunch: Bool = true,
        dropsFailures: Bool = false,
        _ sent: @escaping @Sendable (_ kept: [Draft], _ attempt: Int) -> [Draft]
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            let outbox = Outbox<Draft>()
            @Sendable func wrapped(_ subject: Subject) -> Subject {
                var subject = call.replaced(in: subject) { clean, draft in
                    guard let (kept, attempt) = outbox.kept(orKeeping: draft) else { throw unreachable }
                    if !kept.isEmpty { effect.occurred() }
                    do {
                        for draft in sent(kept, attempt) {
                            do { _ = try await clean(draft) } catch { guard dropsFailures else { throw error } }
                            outbox.remove()
                        }
                        outbox.clear()
                    } catch {
                        try Task.checkCancellation()
                    }
                    return try await clean(forgetsKeys ? another(draft) : draft)
                }
                if let reach {
                    subject = reach.replaced(in: subject) { clean, isReachable in
                        let other = try await clean(isReachable)
                        outbox.reaches(isReachable)
                        return wrapped(other)
                    }
                }
                if let reopen = opening.reopen {
                    subject = reopen.replaced(in: subject) { clean, _ in
                        let other = try await clean(())
                        if !survivesRelaunch {
                            effect.occurred()
                            outbox.clear()
                        }
                        return wrapped(other)
                    }
                }
                return subject
            }
            return wrapped(subject)
        }
    }
}

/// What a mutant keeps.
private final class Outbox<Draft: Sendable>: Sendable {
    private let state = Mutex((kept: [Draft](), attempt: 0, isReachable: true))

    func reaches(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    /// Returns what is kept and the attempt's number; nil if the vendor cannot be reached, so that `draft` is kept.
    func kept(orKeeping draft: Draft) -> (kept: [Draft], attempt: Int)? {
        state.withLock { state in
            guard state.isReachable else {
                state.kept.append(draft)
                return nil
            }
            state.attempt += 1
            return (state.kept, state.attempt)
        }
    }

    func remove() { state.withLock { if !$0.kept.isEmpty { $0.kept.removeFirst() } } }
    func clear() { state.withLock { $0.kept = [] } }
}
