import Cofferdam

extension GetOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        var mutants: [Mutant<Subject>] = []
        if let find {
            mutants += general(find)
            if exact != nil { mutants.append(losesDigits(find)) }
            if let odd { mutants += oddities(odd, find) }
        }
        if let odd { mutants.append(refusesExtra(odd)) }
        return mutants + (page.map { pages($0) } ?? [])
    }

    private func general(_ find: PortCall<Subject, Input, Entity?>) -> [Mutant<Subject>] {
        [
            mutant(find, "GET-01", "turns a 0 into nil") { clean, input, effect in
                let entity = try await clean(input)
                return entity.map { changing($0, to: mistakes.losingZeros($0), effect) }
            },
            mutant(find, "GET-02", "invents an entity for an unknown id") { clean, input, effect in
                if let entity = try await clean(input) { return entity }
                effect.occurred()
                return mistakes.fabricated(input)
            },
        ]
    }

    private func losesDigits(_ find: PortCall<Subject, Input, Entity?>) -> Mutant<Subject> {
        mutant(find, "GET-06", "truncates numbers") { clean, input, effect in
            let entity = try await clean(input)
            return entity.map { changing($0, to: mistakes.losingDigits($0), effect) }
        }
    }

    private func refusesExtra(_ odd: OddPayloads<Subject, Input, Entity>) -> Mutant<Subject> {
        Mutant("GET-03", "rejects unknown fields") { subject, effect in
            odd.seed.replaced(in: subject) { clean, oddity in
                guard oddity == .extraField else { return try await clean(oddity) }
                effect.occurred()
                return try await clean(.missing(field: odd.requiredField))
            }
        }
    }

    private func oddities(
        _ odd: OddPayloads<Subject, Input, Entity>,
        _ find: PortCall<Subject, Input, Entity?>
    ) -> [Mutant<Subject>] {
        let refusesUnknown = mutant(find, "GET-07", "rejects an unknown value") {
            clean,
            input,
            effect in
            let entity = try await clean(input)
            guard let entity, odd.isUnknown(entity) else { return entity }
            effect.occurred()
            return mistakes.fabricated(input)
        }
        let defaults = mutant(find, "GET-04", "replaces a missing field by a default") { clean, input, effect in
            do {
                return try await clean(input)
            } catch  where errors.decodingPath(error) != nil {
                effect.occurred()
                return mistakes.fabricated(input)
            }
        }
        return [defaults, makesUp(odd, find)] + (odd.unknownValue == nil ? [] : [refusesUnknown])
    }

    /// Acts whether the port refuses the odd field or shows it.
    private func makesUp(
        _ odd: OddPayloads<Subject, Input, Entity>,
        _ find: PortCall<Subject, Input, Entity?>
    ) -> Mutant<Subject> {
        Mutant("GET-05", "treats null as empty") { subject, effect in
            let (seeding, last) = noting(odd, subject)
            return find.replaced(in: seeding) { clean, input in
                do {
                    let entity = try await clean(input)
                    guard let entity, last.odd?.input == input else { return entity }
                    return changing(entity, to: mistakes.fabricated(input), effect)
                } catch  where errors.decodingPath(error) != nil {
                    effect.occurred()
                    return mistakes.fabricated(input)
                }
            }
        }
    }

    /// Returns the subject that notes which entity is odd.
    private func noting(
        _ odd: OddPayloads<Subject, Input, Entity>,
        _ subject: Subject
    ) -> (Subject, LastSeed<Input, Entity>) {
        let last = LastSeed<Input, Entity>()
        let seeding = odd.seed.replaced(in: subject) { clean, oddity in
            let seed = try await clean(oddity)
            last.seed.withLock { $0 = seed }
            return seed
        }
        return (seeding, last)
    }

    private func pages(_ page: PortCall<Subject, ListQuery, ListPage<Entity>>) -> [Mutant<Subject>] {
        var mutants = [
            Mutant<Subject>("GET-01", "turns a 0 in a page into nil") { subject, effect in
                page.replaced(in: subject) { clean, query in
                    var page = try await clean(query)
                    page.items = page.items.map { changing($0, to: mistakes.losingZeros($0), effect) }
                    return page
                }
            }
        ]
        if exact != nil {
            mutants.append(
                Mutant("GET-06", "truncates numbers in a page") { subject, effect in
                    page.replaced(in: subject) { clean, query in
                        var page = try await clean(query)
                        page.items = page.items.map { changing($0, to: mistakes.losingDigits($0), effect) }
                        return page
                    }
                }
            )
        }
        guard let odd else { return mutants }
        mutants += [
            Mutant("GET-05", "drops entities with a null field from a page") { subject, effect in
                let (seeding, last) = noting(odd, subject)
                return page.replaced(in: seeding) { clean, query in
                    do {
                        var page = try await clean(query)
                        guard let place = last.place, page.items.indices.contains(place) else { return page }
                        effect.occurred()
                        page.items.remove(at: place)
                        return page
                    } catch  where errors.decodingPath(error) != nil {
                        effect.occurred()
                        return ListPage(items: [], next: nil)
                    }
                }
            },
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
        ]
        guard odd.unknownValue != nil else { return mutants }
        mutants.append(
            Mutant("GET-07", "drops entities with an unknown value") { subject, effect in
                page.replaced(in: subject) { clean, query in
                    var page = try await clean(query)
                    if page.items.contains(where: odd.isUnknown) { effect.occurred() }
                    page.items.removeAll(where: odd.isUnknown)
                    return page
                }
            }
        )
        return mutants
    }

    /// Returns the changed entity. It counts as an effect only if it would not be accepted as the right one.
    private func changing(_ entity: Entity, to changed: Entity, _ effect: MutantEffect) -> Entity {
        if !isSame(changed, entity) { effect.occurred() }
        return changed
    }

    private func mutant(
        _ find: PortCall<Subject, Input, Entity?>,
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (PortCall<Subject, Input, Entity?>.Perform, Input, MutantEffect) async throws -> Entity?
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in find.replaced(in: subject) { try await operation($0, $1, effect) } }
    }
}

/// The entities that the vendor was last given.
private final class LastSeed<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    let seed = Mutex<OddSeed<Input, Entity>?>(nil)

    /// The index of the odd one.
    var place: Int? { seed.withLock { $0?.odd } }
    var odd: GetSample<Input, Entity>? { seed.withLock { seed in seed.map { $0.samples[$0.odd] } } }
}

extension MutantEffect {
    /// Returns the changed value. It counts as an effect only if it differs.
    func changing<Value: Equatable>(_ value: Value, to changed: Value) -> Value {
        if changed != value { occurred() }
        return changed
    }
}
