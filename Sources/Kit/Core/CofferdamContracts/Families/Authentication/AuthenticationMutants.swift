import Cofferdam

extension AuthenticationOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        Mutant.each(
            calls.map { call in
                let rules = rules(of: call).map(\.id)
                return (call.name, mutants(of: call).filter { rules.contains($0.rule) })
            } + streams.map { ($0.name, $0.mutants(isAuthenticationRequired)) }
        ) + (vendor.signOut.map { [returnsAfter($0)] } ?? [])
    }

    private func returnsAfter(_ signOut: SignOut) -> Mutant<Subject> {
        Mutant("AUTH-15", "is signed in again at the end of a sign-out") { subject, effect in
            signOut.call.replaced(in: subject) { clean, _ in
                try await clean(())
                effect.occurred()
                try await session.signIn(subject)
            }
        }
    }

    private func mutants(of call: ProbedCall<Subject>) -> [Mutant<Subject>] {
        [
            mutant(call, "AUTH-01", "reports the refusal even though it refreshed") { subject, clean, effect in
                let before = try await vendor.refreshes(subject)
                let answer = try await clean()
                if try await vendor.refreshes(subject) > before {
                    effect.occurred()
                    throw Deviation("the access token has expired")
                }
                return answer
            },
            mutant(call, "AUTH-02", "refreshes once per caller") { subject, clean, effect in
                _ = try await clean()
                try await vendor.expire(subject)
                effect.occurred()
                return try await clean()
            },
            mutant(call, "AUTH-03", "refreshes again for a refusal of the previous token") { subject, clean, effect in
                let before = try await vendor.refreshes(subject)
                let answer = try await clean()
                guard try await vendor.refreshes(subject) > before else { return answer }
                effect.occurred()
                try await vendor.expire(subject)
                return try await clean()
            },
            mutant(call, "AUTH-04", "keeps retrying when the refresh is refused") { subject, clean, effect in
                for _ in 0..<3 {
                    do {
                        return try await clean()
                    } catch  where isAuthenticationRequired(error) {
                        effect.occurred()
                        try await session.signIn(subject)
                        try await vendor.expire(subject)
                    }
                }
                return try await clean()
            },
            mutant(call, "AUTH-05", "ends the session after any failed refresh") { subject, clean, effect in
                let before = try await vendor.refreshes(subject)
                do {
                    return try await clean()
                } catch {
                    if try await vendor.refreshes(subject) > before {
                        effect.occurred()
                        try await session.signOut(subject)
                    }
                    throw error
                }
            },
            endsAnySession(call),
            mutant(call, "AUTH-07", "retries as often as it is refused") { _, clean, effect in
                for _ in 0..<3 {
                    do {
                        return try await clean()
                    } catch  where isAuthenticationRequired(error) {
                        effect.occurred()
                    }
                }
                return try await clean()
            },
            mutant(call, "AUTH-08", "treats a forbidden call as an expired token") { subject, clean, effect in
                do {
                    return try await clean()
                } catch  where isForbidden(error) {
                    effect.occurred()
                    try await vendor.expire(subject)
                    return try await clean()
                }
            },
            Mutant("AUTH-09", "cancels every waiting caller when one leaves") { subject, effect in
                let fate = SharedFate(effect)
                return call.call.decorated(in: subject) { try await fate.perform($0) }
            },
            remembers(call),
            mutant(call, "AUTH-11", "retries a refused call as whichever user is signed in by then") {
                _,
                clean,
                effect in
                do {
                    return try await clean()
                } catch  where isAuthenticationRequired(error) {
                    effect.occurred()
                    return try await clean()
                }
            },
            endedByRefusal(call),
            mutant(call, "AUTH-14", "signs its user in again at its end") { subject, clean, effect in
                let answer: Result<any Sendable, any Error>
                do { answer = .success(try await clean()) } catch { answer = .failure(error) }
                effect.occurred()
                try await session.signIn(subject)
                return try answer.get()
            },
        ]
    }

    private func endedByRefusal(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("AUTH-13", "is signed out the next time it is used") { subject, effect in
            let isUsed = Mutex(false)
            return call.call.decorated(in: subject) { clean in
                let isFirst = isUsed.withLock { isUsed in
                    defer { isUsed = true }
                    return !isUsed
                }
                if !isFirst {
                    effect.occurred()
                    try await session.signOut(subject)
                }
                return try await clean()
            }
        }
    }

    /// A refusal that arrives late ends whatever session there is.
    private func endsAnySession(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        mutant(call, "AUTH-06", "ends the current session when an old refresh fails late") {
            subject,
            clean,
            effect in
            let before = try await vendor.refreshes(subject)
            let result: Result<any Sendable, any Error>
            do { result = .success(try await clean()) } catch { result = .failure(error) }
            if try await vendor.refreshes(subject) > before {
                effect.occurred()
                try await session.signOut(subject)
            }
            return try result.get()
        }
    }

    private func remembers(_ call: ProbedCall<Subject>) -> Mutant<Subject> {
        Mutant("AUTH-10", "answers from memory without a signed-in user") { subject, effect in
            let last = Mutex<(any Sendable)?>(nil)
            return call.call.decorated(in: subject) { clean in
                do {
                    let answer = try await clean()
                    last.withLock { $0 = answer }
                    return answer
                } catch  where isAuthenticationRequired(error) {
                    guard let answer = last.withLock({ $0 }) else { throw error }
                    effect.occurred()
                    return answer
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
