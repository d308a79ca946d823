/// The fields of an entity, and the operations that show it, described for the rule VALUE-01.
///
/// ```swift
/// static let book = ShownFields(
///     fields: [
///         Field("title", \.title, .text),
///         Field("pages", \.pages, .optional(.integer(0...100_000))),
///     ],
///     shownBy: [.get(book), .list(books)],
///     id: \.id,
///     usual: Book(id: "", title: "Emma", pages: 474),
///     prepare: { try await $0.vendor.empty() },
///     hold: { subject, books in try await subject.vendor.add(books) }
/// )
/// ```
///
/// For each field, the vendor is made to hold one entity for each value of the field's kind, with the other fields at a
/// usual value; then every operation must show all of them exactly. Texts are compared by their Unicode scalars. Each
/// field has a row for each operation ("books.title"), and a mutant for each mistake that its values show.
public struct ShownFields<Subject: Sendable, ID: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let fields: [Field<Entity>]
    let operations: [ShowingOperation<Subject, ID, Entity>]
    let id: @Sendable (Entity) -> ID
    let usual: @Sendable (Int) -> Entity
    let prepare: @Sendable (Subject) async throws -> Void
    let hold: @Sendable (Subject, [Entity]) async throws -> [Entity]
    let unreadable: [UnreadableValue<Entity>]
    let errors: GetErrors
    let issues: @Sendable (Subject) async throws -> [String]

    /// Describes an entity's fields.
    ///
    /// - Parameters:
    ///   - usual: an entity with a usual value in each field. Its id does not matter.
    ///   - prepare: empties the vendor, and signs in where that is needed.
    ///   - hold: adds these entities at the vendor, without the adapter. Returns them, in the same order, as a correct
    ///     adapter shows them: with the ids and times that the vendor has given them. Add all at once: an entity for
    ///     each value of a field.
    ///   - unreadable: values that the vendor's SDK reads and the adapter cannot translate; VALUE-04 needs some.
    ///   - errors: how an unreadable answer is recognised.
    ///   - issues: the issues that the adapter has reported so far, one text for each.
    public init(
        fields: [Field<Entity>],
        shownBy operations: [ShowingOperation<Subject, ID, Entity>],
        id: @escaping @Sendable (Entity) -> ID,
        usual: Entity,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        hold: @escaping @Sendable (Subject, [Entity]) async throws -> [Entity],
        unreadable: [UnreadableValue<Entity>] = [],
        errors: GetErrors = GetErrors(),
        issues: @escaping @Sendable (Subject) async throws -> [String] = { _ in [] }
    ) {
        self.init(
            fields: fields,
            shownBy: operations,
            id: id,
            usual: { _ in usual },
            prepare: prepare,
            hold: hold,
            unreadable: unreadable,
            errors: errors,
            issues: issues
        )
    }

    /// Describes the fields of an entity whose id the vendor is told.
    ///
    /// - Parameter usual: an entity with a usual value in each field, and with another id for each number. `hold`
    ///   returns the entities as they are.
    public init(
        fields: [Field<Entity>],
        shownBy operations: [ShowingOperation<Subject, ID, Entity>],
        id: @escaping @Sendable (Entity) -> ID,
        usual: @escaping @Sendable (_ number: Int) -> Entity,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        hold: @escaping @Sendable (Subject, [Entity]) async throws -> [Entity],
        unreadable: [UnreadableValue<Entity>] = [],
        errors: GetErrors = GetErrors(),
        issues: @escaping @Sendable (Subject) async throws -> [String] = { _ in [] }
    ) {
        self.fields = fields
        self.operations = operations
        self.id = id
        self.usual = usual
        self.prepare = prepare
        self.hold = hold
        self.unreadable = unreadable
        self.errors = errors
        self.issues = issues
    }

    /// VALUE-01 for each operation and field, then VALUE-04 for each operation if there are `unreadable` values.
    public var rules: [Rule<Subject>] { exact + (unreadable.isEmpty ? [] : operations.map(nothingLeftOut)) }

    private var exact: [Rule<Subject>] {
        operations.flatMap { operation in
            fields.map { field in
                Rule(
                    "VALUE-01",
                    "Each value of a field is shown exactly as the vendor holds it",
                    requires: operation.requires.union(field.requires)
                ) { subject, context in
                    try await check(field.values, field, operation, subject, context).violations
                }.of("\(operation.name).\(field.name)")
            }
        }
    }

    private func check(
        _ values: [FieldValue<Entity>],
        _ field: Field<Entity>,
        _ operation: ShowingOperation<Subject, ID, Entity>,
        _ subject: Subject,
        _ context: RuleContext
    ) async throws -> Findings {
        var findings = Findings()
        do {
            try await prepare(subject)
            let (expected, shown) = try await operation.show(subject, context, id) {
                try await hold(subject, values.enumerated().map { $1.set(usual($0)) })
            }
            findings.expectEqual(expected.count, values.count, "how many entities the vendor holds")
            let byID = Dictionary(grouping: shown) { Exact(id($0)) }
            for (value, expected) in zip(values, expected) {
                let shown = byID[Exact(id(expected))] ?? []
                findings.expect(!shown.isEmpty, "\(field.name) \(value.text): left out")
                for entity in shown {
                    if let difference = field.difference(entity, expected) {
                        findings.add("\(field.name) \(value.text): \(difference)")
                    } else if let difference = difference(entity, expected) {
                        findings.add("\(field.name) \(value.text) changes another field: \(difference)")
                    }
                }
            }
        } catch  where error is CancellationError || error is UnmetRequirements {
            throw error
        } catch {
            guard values.count > 1 else {
                findings.add("\(field.name)\(values.first.map { " \($0.text)" } ?? ""): \(error)")
                return findings
            }
            // One value fails the call for all: which one?
            for value in values {
                for found in try await check([value], field, operation, subject, context).violations {
                    findings.add(found.detail)
                }
            }
            if findings.violations.isEmpty { findings.add("\(field.name), all values at once: \(error)") }
        }
        return findings
    }

    private func nothingLeftOut(of operation: ShowingOperation<Subject, ID, Entity>) -> Rule<Subject> {
        Rule(
            "VALUE-04",
            "A value that cannot be translated fails, or is reported, with its path; nothing is left out in silence",
            requires: operation.requires
        ) { subject, context in
            var findings = Findings()
            for odd in unreadable {
                try await prepare(subject)
                let before = try await issues(subject).count
                do {
                    var (expected, shown) = try await operation.show(subject, context, id) {
                        try await hold(subject, [usual(0), odd.held(usual(1)), usual(2)])
                    }
                    guard let isShown = odd.shown else {
                        findings.add("\(odd.name): expected \(odd.promise), got \(shown.count) entities of 3")
                        continue
                    }
                    guard expected.count == 3 else {
                        findings.add("\(odd.name): the vendor holds \(expected.count) entities, not 3")
                        continue
                    }
                    expected[1] = isShown(expected[1])
                    for entity in expected {
                        let same = shown.first { Exact(id($0)) == Exact(id(entity)) }
                        guard let same else {
                            findings.add("\(odd.name): \(readable(entity)) is left out")
                            continue
                        }
                        if let difference = difference(same, entity) { findings.add("\(odd.name): \(difference)") }
                    }
                    let reported = try await issues(subject).dropFirst(before)
                    findings.expect(
                        reported.contains { $0.contains(odd.path) },
                        "\(odd.name): expected \(odd.promise), got \(Array(reported))"
                    )
                } catch  where error is CancellationError || error is UnmetRequirements {
                    throw error
                } catch {
                    let path = errors.decodingPath(error)
                    findings.expect(
                        odd.shown == nil && path?.contains(odd.path) ?? false,
                        "\(odd.name): expected \(odd.promise), got \(error)"
                    )
                }
            }
            return findings.violations
        }.of(operation.name)
    }

    /// For each operation and field, one mutant for each mistake that the field's values show. One more for
    /// each operation if there are `unreadable` values, and another one for each list that shows some in part.
    public var mutants: [Mutant<Subject>] { spoiling + operations.flatMap(leavingOut) }

    private func leavingOut(of operation: ShowingOperation<Subject, ID, Entity>) -> [Mutant<Subject>] {
        var mutants: [Mutant<Subject>] = []
        if unreadable.contains(where: { $0.shown == nil }) {
            mutants.append(
                Mutant("VALUE-04", "leaves out in silence what it cannot translate") { subject, effect in
                    operation.swallow(subject, { errors.decodingPath($0) != nil }, effect)
                }
            )
        }
        if let repage = operation.repage, unreadable.contains(where: { $0.shown != nil }) {
            mutants.append(
                Mutant("VALUE-04", "leaves out what it can show in part only") { subject, effect in
                    repage(subject) { clean in
                        var page = try await clean()
                        guard page.items.count == 3 else { return page }
                        page.items.remove(at: 1)
                        effect.occurred()
                        return page
                    }
                }
            )
        }
        if mutants.isEmpty, let odd = unreadable.first {
            mutants.append(
                Mutant("VALUE-04", "shows what it cannot translate as the vendor holds it") { subject, effect in
                    operation.spoil(subject) { effect.spoiling($0, into: odd.held($0)) }
                }
            )
        }
        return mutants.map { $0.of(operation.name) }
    }

    private var spoiling: [Mutant<Subject>] {
        operations.flatMap { operation in
            fields.flatMap { field in
                field.shownMistakes.map { mistake in
                    Mutant("VALUE-01", mistake.name) { subject, effect in
                        operation.spoil(subject) { effect.spoiling($0, into: mistake.make($0)) }
                    }.of("\(operation.name).\(field.name)")
                }
            }
        }
    }
}
