/// An operation of a port that reads one entity, described for the rules GET-01 to GET-07.
///
/// Say how the vendor is filled and what the port must return, and the operation gets the rules and the mutants that
/// show that the rules can fail:
///
/// ```swift
/// let note = GetOperation(
///     call: PortCall("note", get: { … }, replace: { … }),
///     errors: GetErrors(isNotFound: { … }, decodingPath: { … }, withoutPath: { … }),
///     samples: { subject in try await subject.probe.addNotes(["", "0", "ñ"]) },
///     unknown: { _ in ["no-such-note"] },
///     mistakes: GetMistakes(fabricated: { Note(id: $0, text: "") }, losingZeros: { … })
/// )
/// ```
///
/// Use ``init(finding:page:errors:samples:unknown:exact:odd:mistakes:isSame:)`` for a port that returns nil for what it
/// does not find, and ``init(listed:errors:samples:exact:odd:mistakes:isSame:)`` for one that shows its entities only
/// in a list.
///
/// A nil argument leaves out its rules: GET-03, GET-04, GET-05 and GET-07 need `odd`, GET-06 needs `exact`.
public struct GetOperation<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    /// Seeds the vendor and returns what a correct adapter reads.
    public typealias Samples = @Sendable (Subject) async throws -> [GetSample<Input, Entity>]

    /// Reads one entity; returns nil if there is none. A port that throws instead is wrapped, and still throws its own
    /// error. Nil if the entities are only in a list.
    let find: PortCall<Subject, Input, Entity?>?
    /// The list of the same entities, if there is one; it must keep the same promises.
    let page: PortCall<Subject, ListQuery, ListPage<Entity>>?
    let errors: GetErrors
    /// Empties the vendor, and adds entities of every shape: with false, 0, "", nil, empty arrays, unusual letters.
    let samples: Samples
    /// Inputs that the vendor does not know, including well-formed ones.
    let unknown: @Sendable (Subject) async throws -> [Input]
    /// Empties the vendor, and adds entities with numbers up to 2^53-1 and amounts of money with many digits.
    let exact: Samples?
    let odd: OddPayloads<Subject, Input, Entity>?
    let mistakes: GetMistakes<Input, Entity>
    /// Whether the entity read is accepted as the expected one: by default only if they are equal.
    let isSame: @Sendable (_ read: Entity, _ expected: Entity) -> Bool

    /// Describes an operation that throws if there is no such entity.
    ///
    /// - Parameter isSame: whether the entity read is accepted as the expected one; for fields that a vendor rounds or
    ///   makes anew each time.
    public init(
        call: PortCall<Subject, Input, Entity>,
        page: PortCall<Subject, ListQuery, ListPage<Entity>>? = nil,
        errors: GetErrors,
        samples: @escaping Samples,
        unknown: @escaping @Sendable (Subject) async throws -> [Input],
        exact: Samples? = nil,
        odd: OddPayloads<Subject, Input, Entity>? = nil,
        mistakes: GetMistakes<Input, Entity>,
        isSame: @escaping @Sendable (_ read: Entity, _ expected: Entity) -> Bool = { $0 == $1 }
    ) {
        self.init(
            call.finding(errors.isNotFound),
            page,
            errors,
            samples,
            unknown,
            exact,
            odd,
            mistakes,
            isSame
        )
    }

    /// Describes an operation that returns nil if there is no such entity.
    ///
    /// - Parameters:
    ///   - errors: how an unreadable answer is recognised, for `odd`; the port throws no error for what it does not
    ///     find.
    ///   - isSame: whether the entity read is accepted as the expected one; for fields that a vendor rounds or makes
    ///     anew each time.
    public init(
        finding call: PortCall<Subject, Input, Entity?>,
        page: PortCall<Subject, ListQuery, ListPage<Entity>>? = nil,
        errors: GetErrors = GetErrors(),
        samples: @escaping Samples,
        unknown: @escaping @Sendable (Subject) async throws -> [Input],
        exact: Samples? = nil,
        odd: OddPayloads<Subject, Input, Entity>? = nil,
        mistakes: GetMistakes<Input, Entity>,
        isSame: @escaping @Sendable (_ read: Entity, _ expected: Entity) -> Bool = { $0 == $1 }
    ) {
        self.init(call, page, errors, samples, unknown, exact, odd, mistakes, isSame)
    }

    /// Describes entities that are in a list and cannot be read one by one; GET-02 does not apply to them.
    ///
    /// - Parameter isSame: whether the entity read is accepted as the expected one; for fields that a vendor rounds or
    ///   makes anew each time.
    public init(
        listed page: PortCall<Subject, ListQuery, ListPage<Entity>>,
        errors: GetErrors,
        samples: @escaping Samples,
        exact: Samples? = nil,
        odd: OddPayloads<Subject, Input, Entity>? = nil,
        mistakes: GetMistakes<Input, Entity>,
        isSame: @escaping @Sendable (_ read: Entity, _ expected: Entity) -> Bool = { $0 == $1 }
    ) {
        self.init(nil, page, errors, samples, { _ in [] }, exact, odd, mistakes, isSame)
    }

    private init(
        _ find: PortCall<Subject, Input, Entity?>?,
        _ page: PortCall<Subject, ListQuery, ListPage<Entity>>?,
        _ errors: GetErrors,
        _ samples: @escaping Samples,
        _ unknown: @escaping @Sendable (Subject) async throws -> [Input],
        _ exact: Samples?,
        _ odd: OddPayloads<Subject, Input, Entity>?,
        _ mistakes: GetMistakes<Input, Entity>,
        _ isSame: @escaping @Sendable (Entity, Entity) -> Bool
    ) {
        self.find = find
        self.page = page
        self.errors = errors
        self.samples = samples
        self.unknown = unknown
        self.exact = exact
        self.odd = odd
        self.mistakes = mistakes
        self.isSame = isSame
    }
}

extension PortCall where Input: Hashable {
    /// The same call, returning nil for what is not found.
    fileprivate func finding(
        _ isNotFound: @escaping @Sendable (any Error) -> Bool
    ) -> PortCall<Subject, Input, Output?> {
        PortCall<Subject, Input, Output?>(
            name,
            get: { subject in
                { input in
                    do { return try await self(subject, input) } catch  where isNotFound(error) { return nil }
                }
            },
            replace: { subject, perform in
                replaced(in: subject) { clean, input in
                    // The clean call throws the port's own error.
                    if let found = try await perform(input) { found } else { try await clean(input) }
                }
            }
        )
    }
}

/// An input, and the entity that a correct adapter returns for it.
public struct GetSample<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable, Hashable {
    /// The argument to read the entity by.
    public var input: Input
    /// The entity that a correct adapter returns for it.
    public var entity: Entity

    /// Pairs an argument with the entity that a correct adapter returns for it.
    public init(_ input: Input, _ entity: Entity) {
        self.input = input
        self.entity = entity
    }
}

/// How to recognise a port's errors of reading.
public struct GetErrors: Sendable {
    let isNotFound: @Sendable (any Error) -> Bool
    let decodingPath: @Sendable (any Error) -> String?
    let withoutPath: @Sendable (any Error) -> any Error

    /// Describes how to recognise a port's errors of reading; by default, none is recognised.
    ///
    /// - Parameters:
    ///   - isNotFound: whether the error says that there is no such entity.
    ///   - decodingPath: the path that the error of an unreadable answer names, "" if none; nil for any other error.
    ///   - withoutPath: the same error without the path.
    public init(
        isNotFound: @escaping @Sendable (any Error) -> Bool = { _ in false },
        decodingPath: @escaping @Sendable (any Error) -> String? = { _ in nil },
        withoutPath: @escaping @Sendable (any Error) -> any Error = { $0 }
    ) {
        self.isNotFound = isNotFound
        self.decodingPath = decodingPath
        self.withoutPath = withoutPath
    }
}

/// The mistakes that careless adapters make with an entity, for the mutants.
public struct GetMistakes<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    let fabricated: @Sendable (Input) -> Entity
    let losingZeros: @Sendable (Entity) -> Entity
    let losingDigits: @Sendable (Entity) -> Entity

    /// Describes the mistakes that the mutants make.
    ///
    /// - Parameters:
    ///   - fabricated: an entity of defaults, made up where the vendor has none.
    ///   - losingZeros: the entity with its zeros mistaken for missing values.
    ///   - losingDigits: the entity with its numbers converted through too small a type.
    public init(
        fabricated: @escaping @Sendable (Input) -> Entity,
        losingZeros: @escaping @Sendable (Entity) -> Entity,
        losingDigits: @escaping @Sendable (Entity) -> Entity = { $0 }
    ) {
        self.fabricated = fabricated
        self.losingZeros = losingZeros
        self.losingDigits = losingDigits
    }
}
