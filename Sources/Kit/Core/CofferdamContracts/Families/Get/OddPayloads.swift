/// An oddity in the vendor's payload of one entity.
public enum PayloadOddity: Sendable, Hashable, CustomStringConvertible {
    /// The payload has an unknown field.
    case extraField
    /// The payload lacks a field, named as in the vendor's payload.
    case missing(field: String)
    /// The field is present and null.
    case null(field: String)
    /// The field is present and an empty text.
    case empty(field: String)
    /// A field with a closed set of values has an unknown value.
    case unknownValue(String)

    /// The oddity as findings name it.
    public var description: String {
        switch self {
        case .extraField: "an unknown field"
        case .missing(let field): "\(field) is missing"
        case .null(let field): "\(field) is null"
        case .empty(let field): "\(field) is empty"
        case .unknownValue(let raw): "the value \(raw)"
        }
    }
}

/// Entities at the vendor of which one is odd, and how the port handles that.
public struct OddPayloads<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    let seed: PortCall<Subject, PayloadOddity, OddSeed<Input, Entity>>
    let requiredField: String
    let unknownValue: (raw: String, shown: @Sendable (Entity) -> Entity)?
    let isUnknown: @Sendable (Entity) -> Bool
    let promises: @Sendable (Subject) -> [FieldPromise<Entity>]

    /// Describes the vendor's odd payloads and the port's promises about them.
    ///
    /// - Parameters:
    ///   - seed: empties the vendor and adds some entities, one with an odd payload. It is a call of the subject, so
    ///     that a mutant can act as an adapter whose decoder is too strict.
    ///   - requiredField: a field that every entity has, by its name in the vendor's payload.
    ///   - unknownValue: an unknown value, and the entity that shows it. Nil if no field has a closed set of values:
    ///     GET-07 is then not judged.
    ///   - isUnknown: whether the entity has an unknown value.
    ///   - promises: how the port handles a null, absent or empty field, field by field; without any, GET-05 does not
    ///     apply.
    public init(
        seed: PortCall<Subject, PayloadOddity, OddSeed<Input, Entity>>,
        requiredField: String,
        unknownValue: (raw: String, shown: @Sendable (Entity) -> Entity)? = nil,
        isUnknown: @escaping @Sendable (Entity) -> Bool = { _ in false },
        promises: @escaping @Sendable (Subject) -> [FieldPromise<Entity>]
    ) {
        self.seed = seed
        self.requiredField = requiredField
        self.unknownValue = unknownValue
        self.isUnknown = isUnknown
        self.promises = promises
    }
}

/// Entities in the list's order, as they are without the oddity, and the index of the odd one.
public struct OddSeed<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable, Hashable {
    var samples: [GetSample<Input, Entity>]
    var odd: Int

    /// Lists all entities; `odd` is the index of the odd one.
    public init(_ samples: [GetSample<Input, Entity>], odd: Int) {
        self.samples = samples
        self.odd = odd
    }
}

/// What the port promises about an odd field.
public struct FieldPromise<Entity: Sendable & Hashable>: Sendable {
    let oddity: PayloadOddity
    let outcome: Outcome

    /// How an adapter treats the odd field.
    public enum Outcome: Sendable {
        /// The adapter throws the port's error for an unreadable answer, whose path contains this text.
        case refused(path: String)
        /// The adapter returns the entity, changed by the closure.
        case shown(@Sendable (Entity) -> Entity)
    }

    /// Promises an outcome for an oddity.
    public init(_ oddity: PayloadOddity, _ outcome: Outcome) {
        self.oddity = oddity
        self.outcome = outcome
    }
}
