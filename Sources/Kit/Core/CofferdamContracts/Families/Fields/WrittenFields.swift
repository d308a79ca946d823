/// The fields of what an operation writes, described for the rules VALUE-02 and VALUE-03.
///
/// ```swift
/// static let add = WrittenFields(
///     call: add,
///     fields: [Field("title", \.title, .text.notEmpty.atMost(2000, .utf8))],
///     prepare: { try await $0.vendor.empty() },
///     draft: { _, number in BookDraft(title: "Emma", key: "draft-\(number)") },
///     answered: { draft, answer in Book(id: answer.id, title: draft.title) },
///     held: { subject, answer in try await subject.vendor.book(answer.id) },
///     read: { subject, answer in try await subject.books.book(answer.id) },
///     rejectedField: { ($0 as? BookError)?.field }
/// )
/// ```
///
/// What was written is looked up at the vendor too, not only read back through the same adapter, where two mistakes
/// that cancel each other out would pass.
public struct WrittenFields<Subject: Sendable, Draft: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Draft, Entity>
    let isAnswered: Bool
    let fields: [Field<Draft>]
    let prepare: @Sendable (Subject) async throws -> Void
    let draft: @Sendable (Subject, _ number: Int) -> Draft
    let answered: @Sendable (Draft, _ answer: Entity) -> Entity
    let held: @Sendable (Subject, _ answer: Entity) async throws -> Entity
    let read: (@Sendable (Subject, _ answer: Entity) async throws -> Entity)?
    let rejectedField: @Sendable (any Error) -> String?

    /// Describes an operation that writes.
    ///
    /// - Parameters:
    ///   - isAnswered: whether the port's operation answers with what it has written. If it answers nothing, let `call`
    ///     return the draft.
    ///   - prepare: empties the vendor, and signs in where that is needed.
    ///   - draft: a draft with a usual value in each field, and a key of its own for each number.
    ///   - answered: what a correct adapter answers to a draft: the answer's ids and times with the draft's values.
    ///   - held: what the vendor holds after that answer, looked up without the adapter, as a correct adapter shows it.
    ///   - read: reads back what was written through the port; nil if the port cannot.
    ///   - rejectedField: the field that a refusal names, "" if none; nil for any other error.
    public init(
        call: PortCall<Subject, Draft, Entity>,
        isAnswered: Bool = true,
        fields: [Field<Draft>],
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        draft: @escaping @Sendable (Subject, _ number: Int) -> Draft,
        answered: @escaping @Sendable (Draft, _ answer: Entity) -> Entity,
        held: @escaping @Sendable (Subject, _ answer: Entity) async throws -> Entity,
        read: (@Sendable (Subject, _ answer: Entity) async throws -> Entity)? = nil,
        rejectedField: @escaping @Sendable (any Error) -> String?
    ) {
        self.call = call
        self.isAnswered = isAnswered
        self.fields = fields
        self.prepare = prepare
        self.draft = draft
        self.answered = answered
        self.held = held
        self.read = read
        self.rejectedField = rejectedField
    }

    /// VALUE-02 for each field, then VALUE-03 for each field with limits.
    public var rules: [Rule<Subject>] { fields.map(exact) + limited.map(refusal) }

    private var limited: [Field<Draft>] { fields.filter { !$0.refused.isEmpty } }

    private func name(_ field: Field<Draft>) -> String { "\(call.name).\(field.name)" }

    private func exact(_ field: Field<Draft>) -> Rule<Subject> {
        Rule(
            "VALUE-02",
            "Each value that is written is answered, held by the vendor and read back exactly",
            requires: field.requires
        ) { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            for (number, value) in field.values.enumerated() {
                let draft = value.set(draft(subject, number))
                do {
                    let answer = try await call(subject, draft)
                    let expected = answered(draft, answer)
                    let found = [
                        ("answered", answer), ("held by the vendor", try await held(subject, answer)),
                        ("read back", try await read?(subject, answer) ?? expected),
                    ]
                    for (place, entity) in found {
                        guard let difference = difference(entity, expected) else { continue }
                        findings.add("\(field.name) \(value.text), \(place): \(difference)")
                    }
                } catch  where error is CancellationError || error is UnmetRequirements {
                    throw error
                } catch {
                    findings.add("\(field.name) \(value.text): \(error)")
                }
            }
            return findings.violations
        }.of(name(field))
    }

    private func refusal(_ field: Field<Draft>) -> Rule<Subject> {
        Rule(
            "VALUE-03",
            "A value beyond a field's limits is refused with an error that names the field",
            requires: field.requires
        ) { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            for (number, value) in field.refused.enumerated() {
                let draft = value.set(draft(subject, number))
                let error = await findings.expectError(
                    "a refusal",
                    "\(field.name) \(value.text)",
                    where: { rejectedField($0) != nil }
                ) { readable(try await call(subject, draft)) }
                guard let named = error.flatMap(rejectedField) else { continue }
                findings.expect(
                    named.contains(field.name),
                    "\(field.name) \(value.text): the error names \"\(named)\", not \(field.name)"
                )
            }
            return findings.violations
        }.of(name(field))
    }

    /// For each field, two mutants for each mistake that its values show: one spoils what is sent and answers as asked,
    /// the other spoils the answer, if there is one. One more for each field with limits.
    public var mutants: [Mutant<Subject>] {
        fields.flatMap { field in
            field.shownMistakes.flatMap { mistake in
                [
                    Mutant("VALUE-02", "\(mistake.name), and answers as asked") { subject, effect in
                        call.replaced(in: subject) { clean, draft in
                            answered(draft, try await clean(effect.spoiling(draft, into: mistake.make(draft))))
                        }
                    },
                    Mutant("VALUE-02", "\(mistake.name) in its answer") { subject, effect in
                        call.replaced(in: subject) { clean, draft in
                            answered(effect.spoiling(draft, into: mistake.make(draft)), try await clean(draft))
                        }
                    },
                ].prefix(isAnswered ? 2 : 1).map { $0.of(name(field)) }
            }
        } + limited.map(writesAnother)
    }

    private func writesAnother(_ field: Field<Draft>) -> Mutant<Subject> {
        Mutant("VALUE-03", "writes a usual value instead of refusing") { subject, effect in
            call.replaced(in: subject) { clean, input in
                do {
                    return try await clean(input)
                } catch  where rejectedField(error) != nil {
                    effect.occurred()
                    return try await clean(draft(subject, -1))
                }
            }
        }.of(name(field))
    }
}
