extension GetOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        var mutants = general
        if exact != nil { mutants.append(losesDigits) }
        if let odd { mutants += oddities(odd) }
        return mutants + (page.map { pages($0) } ?? [])
    }

    private var general: [Mutant<Subject>] {
        [
            mutant("GET-01", "makes nothing of a 0") { clean, input, effect in
                let entity = try await clean(input)
                return effect.changing(entity, to: mistakes.losingZeros(entity))
            },
            mutant("GET-02", "makes up an entity for an unknown id") { clean, input, effect in
                do {
                    return try await clean(input)
                } catch  where errors.isNotFound(error) {
                    effect.occurred()
                    return mistakes.madeUp(input)
                }
            },
        ]
    }

    private var losesDigits: Mutant<Subject> {
        mutant("GET-06", "puts numbers through too small a type") { clean, input, effect in
            let entity = try await clean(input)
            return effect.changing(entity, to: mistakes.losingDigits(entity))
        }
    }

    private func oddities(_ odd: OddPayloads<Subject, Input, Entity>) -> [Mutant<Subject>] {
        [
            Mutant("GET-03", "refuses fields that it does not know") { subject, effect in
                odd.seed.replaced(in: subject) { clean, oddity in
                    guard oddity == .extraField else { return try await clean(oddity) }
                    effect.occurred()
                    return try await clean(.missing(field: odd.requiredField))
                }
            },
            defaults("GET-04", "puts a default in the place of a missing field"),
            defaults("GET-05", "takes null for empty"),
            mutant("GET-07", "refuses a value that it has not heard of") { clean, input, effect in
                let entity = try await clean(input)
                guard odd.isUnknown(entity) else { return entity }
                effect.occurred()
                return mistakes.madeUp(input)
            },
        ]
    }

    private func defaults(_ rule: RuleID, _ name: String) -> Mutant<Subject> {
        mutant(rule, name) { clean, input, effect in
            do {
                return try await clean(input)
            } catch  where errors.decodingPath(error) != nil {
                effect.occurred()
                return mistakes.madeUp(input)
            }
        }
    }

    private func pages(_ page: PortCall<Subject, ListQuery, ListPage<Entity>>) -> [Mutant<Subject>] {
        var mutants = [
            Mutant<Subject>("GET-01", "makes nothing of a 0 in a page") { subject, effect in
                page.replaced(in: subject) { clean, query in
                    var page = try await clean(query)
                    page.items = page.items.map { effect.changing($0, to: mistakes.losingZeros($0)) }
                    return page
                }
            }
        ]
        guard let odd else { return mutants }
        mutants += [
            Mutant("GET-04", "does not say which field is missing") { subject, effect in
                page.replaced(in: subject) { clean, query in
                    do {
                        return try await clean(query)
                    } catch  where errors.decodingPath(error) != nil {
                        effect.occurred()
                        throw errors.withoutPath(error)
                    }
                }
            },
            Mutant("GET-07", "drops entities with a value that it has not heard of") { subject, effect in
                page.replaced(in: subject) { clean, query in
                    var page = try await clean(query)
                    if page.items.contains(where: odd.isUnknown) { effect.occurred() }
                    page.items.removeAll(where: odd.isUnknown)
                    return page
                }
            },
        ]
        return mutants
    }

    private func mutant(
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (PortCall<Subject, Input, Entity>.Perform, Input, MutantEffect) async throws -> Entity
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in call.replaced(in: subject) { try await operation($0, $1, effect) } }
    }
}

extension MutantEffect {
    /// The changed value; it is an effect only if it differs.
    func changing<Value: Equatable>(_ value: Value, to changed: Value) -> Value {
        if changed != value { occurred() }
        return changed
    }
}
