/// One property of an entity, whose values the rules try: its name, its place and its kind.
///
/// ```swift
/// Field("title", \.title, .text.atMost(2000, .utf8))
/// Field("pages", \.pages, .optional(.integer(0...100_000)))
/// Field("first chapter", \.chapters[0].title, .text)
/// ```
public struct Field<Entity: Sendable & Hashable>: Sendable {
    /// The field's name, as reports show it.
    public let name: String
    /// The values to show and to write.
    let values: [FieldValue<Entity>]
    /// The values that a write refuses.
    let refused: [FieldValue<Entity>]
    let mistakes: [FieldMistake<Entity>]
    /// How the field of one entity differs from that of another; nil if it is exactly the same.
    let difference: @Sendable (_ shown: Entity, _ expected: Entity) -> String?
    /// The capabilities of adapters that have the field.
    private(set) var requires: Set<CapabilityTag> = []

    /// Describes a field.
    ///
    /// - Parameters:
    ///   - path: the property, which the rules set to each value of the kind. It may lie within another one:
    ///     `\.lines[0].article`.
    public init<Value: Sendable & Hashable>(
        _ name: String,
        _ path: any WritableKeyPath<Entity, Value> & Sendable,
        _ kind: FieldKind<Value>
    ) {
        func values(_ examples: [FieldKind<Value>.Example]) -> [FieldValue<Entity>] {
            examples.map { example in
                FieldValue(text: "\(readable(example.value)) (\(example.reason))") { entity in
                    var entity = entity
                    entity[keyPath: path] = example.value
                    return entity
                }
            }
        }
        self.name = name
        self.values = values(kind.corpus)
        refused = values(kind.refused)
        mistakes = kind.mistakes.map { mistake in
            FieldMistake(
                name: mistake.name,
                shows: { kind.corpus.contains { !isExactly(mistake.make($0.value), $0.value) } }
            ) { entity in
                var entity = entity
                entity[keyPath: path] = mistake.make(entity[keyPath: path])
                return entity
            }
        }
        difference = { shown, expected in
            CofferdamContracts.difference(shown[keyPath: path], expected[keyPath: path])
        }
    }

    /// Returns the field of adapters that declare these capabilities; it is skipped on others.
    public func requiring(_ tags: CapabilityTag...) -> Field {
        var field = self
        field.requires.formUnion(tags)
        return field
    }

    /// The mistakes that the field's values show.
    var shownMistakes: [FieldMistake<Entity>] { mistakes.filter { $0.shows() } }
}

/// A value of a field: its text with its reason, and how an entity gets it.
struct FieldValue<Entity: Sendable>: Sendable {
    let text: String
    let set: @Sendable (Entity) -> Entity
}

/// A mistake with a field: what it does, whether a value of the corpus shows it, and the entity that it makes.
struct FieldMistake<Entity: Sendable>: Sendable {
    let name: String
    let shows: @Sendable () -> Bool
    let make: @Sendable (Entity) -> Entity
}

extension MutantEffect {
    /// Returns the changed value. It counts as an effect only if it is not exactly the same.
    func spoiling<Value: Equatable>(_ value: Value, into changed: Value) -> Value {
        if !isExactly(changed, value) { occurred() }
        return changed
    }
}
