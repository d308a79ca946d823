/// How the vendor's payload of one entity is odd.
public enum PayloadOddity: Sendable, Hashable, CustomStringConvertible {
    /// It has an unknown field.
    case extraField
    /// It lacks a field, by its name in the vendor's payload.
    case missing(field: String)
    /// The field is there, and null.
    case null(field: String)
    /// The field is there, and an empty text.
    case empty(field: String)
    /// A field with a closed set of values has an unknown value.
    case unknownValue(String)

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

/// The vendor's entities of which one is odd, and what the port makes of that.
public struct OddPayloads<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    /// Empties the vendor and adds some entities, the payload of one of which is odd.
    ///
    /// A call of the subject like those of the port, so that a mutant can stand for an adapter whose decoder is too
    /// strict, of which the port shows nothing.
    let seed: PortCall<Subject, PayloadOddity, OddSeed<Input, Entity>>
    /// A field that every entity has, by its name in the vendor's payload.
    let requiredField: String
    /// An unknown value, and the entity that shows it.
    ///
    /// Nil where no field is of a closed set of values: GET-07 is not judged then.
    let unknownValue: (raw: String, shown: @Sendable (Entity) -> Entity)?
    /// Whether the entity has an unknown value.
    let isUnknown: @Sendable (Entity) -> Bool
    /// What null, absent and empty are, field by field.
    let promises: @Sendable (Subject) -> [FieldPromise<Entity>]

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

/// Entities in the list's order as they are without the oddity, and the place of the odd one.
public struct OddSeed<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable, Hashable {
    var samples: [GetSample<Input, Entity>]
    var odd: Int

    public init(_ samples: [GetSample<Input, Entity>], odd: Int) {
        self.samples = samples
        self.odd = odd
    }
}

/// What the port says of an odd field.
public struct FieldPromise<Entity: Sendable & Hashable>: Sendable {
    let oddity: PayloadOddity
    let outcome: Outcome

    public enum Outcome: Sendable {
        /// The port's error of an unreadable answer, whose path has this text.
        case refused(path: String)
        /// The entity, changed so.
        case shown(@Sendable (Entity) -> Entity)
    }

    public init(_ oddity: PayloadOddity, _ outcome: Outcome) {
        self.oddity = oddity
        self.outcome = outcome
    }
}
