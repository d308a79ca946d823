import Cofferdam

extension CreateOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        var mutants = [hidesFromList, writesBeforeValidating]
        if let get { mutants.append(hides(from: get)) }
        if contradiction != nil { mutants.append(lastWriteWins) }
        return mutants + [retriesBlindly, reportsPlainFailure, sendsTooMuch]
    }

    private func hides(from get: PortCall<Subject, ID, Entity>) -> Mutant<Subject> {
        Mutant("MUT-01", "returns a created entity only from the second read on") { subject, effect in
            let seen = Mutex<Set<Entity>>([])
            return get.replaced(in: subject) { clean, id in
                let entity = try await clean(id)
                guard seen.withLock({ $0.insert(entity).inserted }) else { return entity }
                effect.occurred()
                throw errors.notFound
            }
        }
    }

    private var hidesFromList: Mutant<Subject> {
        Mutant("MUT-01", "lists a created entity only from the second read on") { subject, effect in
            let seen = Mutex<Set<Entity>>([])
            return list.replaced(in: subject) { clean, query in
                var page = try await clean(query)
                let known = seen.withLock { seen in
                    defer { seen.formUnion(page.items) }
                    return seen
                }
                if !page.items.allSatisfy(known.contains) { effect.occurred() }
                page.items.removeAll { !known.contains($0) }
                return page
            }
        }
    }

    private var writesBeforeValidating: Mutant<Subject> {
        Mutant("MUT-04", "writes before it validates") { subject, effect in
            let valid = drafts(subject).first.map(another)
            return call.replaced(in: subject) { clean, draft in
                do {
                    return try await clean(draft)
                } catch {
                    guard errors.rejectedField(error) != nil, let valid else { throw error }
                    effect.occurred()
                    _ = try await clean(valid)
                    throw error
                }
            }
        }
    }

    private var lastWriteWins: Mutant<Subject> {
        Mutant("MUT-05", "lets the last write win") { subject, effect in
            call.replaced(in: subject) { clean, draft in
                do {
                    return try await clean(draft)
                } catch  where errors.isConflict(error) {
                    effect.occurred()
                    return try await clean(another(draft))
                }
            }
        }
    }

    private var retriesBlindly: Mutant<Subject> {
        Mutant("MUT-06", "retries a write with an unknown outcome") { subject, effect in
            call.replaced(in: subject) { clean, draft in
                do {
                    return try await clean(draft)
                } catch  where errors.isOutcomeUnknown(error) {
                    effect.occurred()
                    return try await clean(another(draft))
                }
            }
        }
    }

    private var reportsPlainFailure: Mutant<Subject> {
        Mutant("MUT-07", "reports a plain failure") { subject, effect in
            call.replaced(in: subject) { clean, draft in
                do {
                    return try await clean(draft)
                } catch  where errors.isOutcomeUnknown(error) {
                    effect.occurred()
                    throw errors.unreachable
                }
            }
        }
    }

    private var sendsTooMuch: Mutant<Subject> {
        Mutant("MUT-08", "sends an extra field for debugging") { subject, effect in
            vendor.strayFields.replaced(in: subject) { clean, _ in
                effect.occurred()
                return try await clean(()) + ["debug"]
            }
        }
    }
}
