import Cofferdam

extension ErrorOperation {
    /// At least one for each of the ``rules`` that can be run. The mutant that is found only when its rule's time is up
    /// runs with the first call alone.
    public var mutants: [Mutant<Subject>] {
        let skipped = rules.filter { !$0.harnessCapabilities.isEmpty }.map(\.id)
        let hanging = calls.first.map { call in [waitsForEver(call).of(call.name)] } ?? []
        let all =
            hanging
            + Mutant.each(calls.map { ($0.name, mutants(of: $0)) } + streams.map { ($0.name, leaks($0)) })
        return all.filter { !skipped.contains($0.rule) }
    }

    private func waitsForEver(_ call: FaultyCall<Subject>) -> Mutant<Subject> {
        mutant(call, "ERR-03", "waits forever when the connection is lost", of: category(of: lost, at: call)) {
            error,
            _,
            _ in
            await untilCancelled()
            return error
        }
    }

    private func mutants(of call: FaultyCall<Subject>) -> [Mutant<Subject>] {
        let ofLoss = category(of: lost, at: call)
        let making = [
            mutant(
                call,
                "ERR-02",
                "treats an unknown status as success",
                of: category(of: .unknown, at: call)
            ) {
                _,
                _,
                _ in
                nil
            },
            mutant(call, "ERR-05", "turns a page into an empty result", of: page.failure(of: call.effect).category) {
                _,
                _,
                _ in nil
            },
        ]
        let converting = [
            mutant(call, "ERR-01", "leaks the vendor's error") { error, _, _ in LeakedError(text: "\(error)") },
            mutant(
                call,
                "ERR-02",
                "reports an unknown status as an unreadable page",
                of: category(of: .unknown, at: call)
            ) {
                _,
                _,
                _ in
                makeError(decoding)
            },
            mutant(call, "ERR-03", "reports a lost connection as unreadable", of: ofLoss) { _, _, _ in
                makeError("made up")
            },
            mutant(call, "ERR-04", "reports a lost connection unlike every other adapter", of: ofLoss) { _, _, _ in
                makeError("made up")
            },
            mutant(call, "ERR-08", "drops the time to retry after", when: { $0.retryAfter != nil }) { error, _, _ in
                makeError(read(error)?.category ?? decoding)
            },
            mutant(
                call,
                "ERR-05",
                "reports a page as an unknown error",
                of: page.failure(of: call.effect).category
            ) { _, _, _ in
                makeError("made up")
            },
            mutant(call, "ERR-07", "follows a redirect forever") { error, _, again in
                for _ in 0...maxRedirects { await again() }
                return error
            },
        ]
        return (call.canFabricate ? making : []) + converting + leaks(call) + leaksMistyped(call)
    }

    private func leaksMistyped(_ call: FaultyCall<Subject>) -> [Mutant<Subject>] {
        guard let mistyped = call.mistyped else { return [] }
        return Secret(name: "", value: Secret.mistyped).forms.map { form in
            Mutant("ERR-06", "prints a mistyped secret \(form.name)") { subject, effect in
                mistyped.converting(subject) { error in
                    guard read(error) != nil else { return error }
                    effect.occurred()
                    return LeakedError(text: "\(error), sent: \(form.text)")
                }
            }
        }
    }

    /// Leaks the last of the credentials, which is not one that every call sends.
    private func leaks(_ call: FaultyCall<Subject>) -> [Mutant<Subject>] {
        Secret(name: "", value: "").forms.indices.map { form in
            let name = Secret(name: "", value: "").forms[form].name
            return Mutant("ERR-06", "prints a credential \(name)") { subject, effect in
                let leaked = Mutex<String?>(nil)
                return call.converting(subject) { error, _ in
                    guard read(error) != nil else { return error }
                    do {
                        var text = leaked.withLock { $0 }
                        if text == nil { text = try await secrets(of: subject).last?.forms[form].text }
                        guard let text else { return error }
                        leaked.withLock { $0 = text }
                        effect.occurred()
                        return LeakedError(text: "\(error), sent: \(text)")
                    } catch {
                        return error
                    }
                }
            }
        }
    }

    /// The first fault in the table that loses an answer.
    private var lost: VendorFault { faultTable.first(where: \.breaksConnection)?.fault ?? .reset }

    private func category(of fault: VendorFault, at call: FaultyCall<Subject>) -> String? {
        (statusTable + faultTable).first { $0.fault == fault }?.failure(of: call.effect).category
    }

    private func mutant(
        _ call: FaultyCall<Subject>,
        _ rule: RuleID,
        _ name: String,
        of category: String?,
        _ convert:
            @escaping @Sendable (any Error, Subject, _ again: @Sendable () async -> Void) async -> (any Error)?
    ) -> Mutant<Subject> {
        mutant(call, rule, name, when: { $0.category == category }, convert)
    }

    private func mutant(
        _ call: FaultyCall<Subject>,
        _ rule: RuleID,
        _ name: String,
        when matters: @escaping @Sendable (PortFailure) -> Bool = { _ in true },
        _ convert:
            @escaping @Sendable (any Error, Subject, _ again: @Sendable () async -> Void) async -> (any Error)?
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            call.converting(subject) { error, again in
                guard let failure = read(error), matters(failure) else { return error }
                effect.occurred()
                return await convert(error, subject, again)
            }
        }
    }
}

extension VendorFault {
    static var unknown: VendorFault { .status(999) }
}

/// An error that no port may throw.
private struct LeakedError: Error {
    let text: String
}
