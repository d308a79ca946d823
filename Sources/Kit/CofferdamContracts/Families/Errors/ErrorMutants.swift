import Cofferdam

extension ErrorOperation {
    /// At least one for each of the ``rules`` that can be run at all.
    public var mutants: [Mutant<Subject>] {
        let skipped = rules.filter { !$0.powers.isEmpty }.map(\.id)
        return all.filter { !skipped.contains($0.rule) }
    }

    private var all: [Mutant<Subject>] {
        let ofReset = category(of: .reset)
        return [
            mutant("ERR-01", "lets the vendor's error pass") { error, _, _ in LeakedError(text: "\(error)") },
            mutant("ERR-02", "takes a status that it does not know for success", of: category(of: .unknown)) {
                _,
                _,
                _ in
                nil
            },
            mutant("ERR-03", "waits for ever when the connection is lost", of: ofReset) { error, _, _ in
                await untilCancelled()
                return error
            },
            mutant("ERR-04", "says of a lost connection what no other adapter says", of: ofReset) { _, _, _ in
                makeError(decoding)
            },
            mutant("ERR-04", "forgets when to try again", when: { $0.retryAfter != nil }) { error, _, _ in
                makeError(read(error)?.category ?? decoding)
            },
            mutant("ERR-05", "makes an empty result of a page", of: decoding) { _, _, _ in nil },
            mutant("ERR-07", "follows a redirection for ever") { error, _, again in
                for _ in 0...mostRedirects { await again() }
                return error
            },
        ] + leaks
    }

    /// The last of the credentials, which is none of those that every call sends.
    private var leaks: [Mutant<Subject>] {
        Secret(name: "", value: "").forms.indices.map { form in
            let name = Secret(name: "", value: "").forms[form].name
            return Mutant("ERR-06", "prints a credential \(name)") { subject, effect in
                let leaked = Mutex<String?>(nil)
                return calls.reduce(subject) { mutated, call in
                    call.converting(mutated) { error, _ in
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
    }

    private func category(of fault: VendorFault) -> String? {
        (statusTable + faultTable).first { $0.fault == fault }?.category
    }

    private func mutant(
        _ rule: RuleID,
        _ name: String,
        of category: String?,
        _ convert:
            @escaping @Sendable (any Error, Subject, _ again: @Sendable () async -> Void) async -> (any Error)?
    ) -> Mutant<Subject> {
        mutant(rule, name, when: { $0.category == category }, convert)
    }

    private func mutant(
        _ rule: RuleID,
        _ name: String,
        when matters: @escaping @Sendable (PortFailure) -> Bool = { _ in true },
        _ convert:
            @escaping @Sendable (any Error, Subject, _ again: @Sendable () async -> Void) async -> (any Error)?
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            calls.reduce(subject) { mutated, call in
                call.converting(mutated) { error, again in
                    guard let failure = read(error), matters(failure) else { return error }
                    effect.occurred()
                    return await convert(error, subject, again)
                }
            }
        }
    }
}

extension VendorFault {
    static var unknown: VendorFault { .status(999) }
}

/// What no port may show.
private struct LeakedError: Error {
    let text: String
}
