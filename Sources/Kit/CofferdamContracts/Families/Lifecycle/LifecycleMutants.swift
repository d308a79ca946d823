import Cofferdam

extension LifecycleOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        [
            Mutant("LIFE-02", "waits for the vendor's answers before it is closed") { subject, effect in
                let waited = Mutex(false)
                return opening.close.replaced(in: subject) { clean, _ in
                    // Once is enough: whoever cleans up must come to an end.
                    let isFirst = waited.withLock { waited in
                        defer { waited = true }
                        return !waited
                    }
                    if isFirst {
                        effect.occurred()
                        await untilCancelled()
                    }
                    try await clean(())
                }
            },
            Mutant("LIFE-03", "keeps every answer in one slot") { subject, effect in
                let slot = Mutex<Item?>(nil)
                return call.replaced(in: subject) { clean, id in
                    let item = try await clean(id)
                    let answer = slot.withLock { kept in
                        defer { kept = item }
                        return kept ?? item
                    }
                    if answer != item { effect.occurred() }
                    return answer
                }
            },
        ] + [waitsForVendor, opensTheSame].compactMap { $0 }
    }

    private var waitsForVendor: Mutant<Subject>? {
        opening.nowhere.map { nowhere in
            Mutant("LIFE-01", "waits for the vendor before it is open") { subject, effect in
                nowhere.replaced(in: subject) { clean, address in
                    effect.occurred()
                    await untilCancelled()
                    return try await clean(address)
                }
            }
        }
    }

    private var opensTheSame: Mutant<Subject>? {
        another.map { another in
            Mutant("LIFE-03", "opens the same instance again") { subject, effect in
                another.replaced(in: subject) { _, _ in
                    effect.occurred()
                    return subject
                }
            }
        }
    }
}
