/// An operation of a port that reads one entity: what the rules GET-01 to GET-07 need to know of it.
///
/// An adopter's own gets the rules, and the mutants that show that they can fail, by saying what the vendor is told and
/// what the port must make of it:
///
/// ```swift
/// let note = GetOperation(
///     call: PortCall("note", get: { … }, replace: { … }),
///     errors: GetErrors(isNotFound: { … }, decodingPath: { … }, withoutPath: { … }),
///     samples: { subject in try await subject.probe.addNotes(["", "0", "ñ"]) },
///     unknown: { _ in ["no-such-note"] },
///     mistakes: GetMistakes(madeUp: { Note(id: $0, text: "") }, losingZeros: { … })
/// )
/// ```
///
/// What is nil has no rules: GET-03, GET-04, GET-05 and GET-07 need ``odd``, GET-06 needs ``exact``.
public struct GetOperation<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    public typealias Samples = @Sendable (Subject) async throws -> [GetSample<Input, Entity>]

    public let call: PortCall<Subject, Input, Entity>
    /// The list in which the same entities stand, where there is one: it is held to the same promises.
    public let page: PortCall<Subject, ListQuery, ListPage<Entity>>?
    public let errors: GetErrors
    /// Empties the vendor, and adds entities of every shape: false, 0, "", nothing, empty arrays, odd letters.
    public let samples: Samples
    /// Inputs that the vendor does not know now, well-made ones too.
    public let unknown: @Sendable (Subject) async throws -> [Input]
    /// Empties the vendor, and adds entities with numbers up to 2^53-1 and amounts of money of many digits.
    public let exact: Samples?
    public let odd: OddPayloads<Subject, Input, Entity>?
    public let mistakes: GetMistakes<Input, Entity>

    public init(
        call: PortCall<Subject, Input, Entity>,
        page: PortCall<Subject, ListQuery, ListPage<Entity>>? = nil,
        errors: GetErrors,
        samples: @escaping Samples,
        unknown: @escaping @Sendable (Subject) async throws -> [Input],
        exact: Samples? = nil,
        odd: OddPayloads<Subject, Input, Entity>? = nil,
        mistakes: GetMistakes<Input, Entity>
    ) {
        self.call = call
        self.page = page
        self.errors = errors
        self.samples = samples
        self.unknown = unknown
        self.exact = exact
        self.odd = odd
        self.mistakes = mistakes
    }
}

/// What is read, and what a perfect adapter shows of it.
public struct GetSample<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable, Hashable {
    public var input: Input
    public var entity: Entity

    public init(_ input: Input, _ entity: Entity) {
        self.input = input
        self.entity = entity
    }
}

/// How a port's errors of reading are recognised.
public struct GetErrors: Sendable {
    public let isNotFound: @Sendable (any Error) -> Bool
    /// What the error of an unreadable answer names, "" if nothing; nil for any other error.
    public let decodingPath: @Sendable (any Error) -> String?
    /// The same error, naming nothing.
    public let withoutPath: @Sendable (any Error) -> any Error

    public init(
        isNotFound: @escaping @Sendable (any Error) -> Bool,
        decodingPath: @escaping @Sendable (any Error) -> String?,
        withoutPath: @escaping @Sendable (any Error) -> any Error
    ) {
        self.isNotFound = isNotFound
        self.decodingPath = decodingPath
        self.withoutPath = withoutPath
    }
}

/// What careless adapters make of an entity: the mutants do it.
public struct GetMistakes<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    /// The entity of defaults that is made up where there is none.
    public let madeUp: @Sendable (Input) -> Entity
    /// The entity with its zeros taken for nothing.
    public let losingZeros: @Sendable (Entity) -> Entity
    /// The entity with its numbers gone through too small a type.
    public let losingDigits: @Sendable (Entity) -> Entity

    public init(
        madeUp: @escaping @Sendable (Input) -> Entity,
        losingZeros: @escaping @Sendable (Entity) -> Entity,
        losingDigits: @escaping @Sendable (Entity) -> Entity = { $0 }
    ) {
        self.madeUp = madeUp
        self.losingZeros = losingZeros
        self.losingDigits = losingDigits
    }
}
