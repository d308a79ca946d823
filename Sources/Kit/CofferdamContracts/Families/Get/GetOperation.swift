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
/// A port that answers nil for what it does not find is described by ``init(finding:page:errors:samples:unknown:exact:odd:mistakes:isSame:)``,
/// and one that shows its entities in a list only by ``init(listed:errors:samples:exact:odd:mistakes:isSame:)``.
///
/// What is nil has no rules: GET-03, GET-04, GET-05 and GET-07 need `odd`, GET-06 needs `exact`.
public struct GetOperation<Subject: Sendable, Input: Sendable & Hashable, Entity: Sendable & Hashable>: RuleFamily {
    /// Seeds the vendor and returns what a correct adapter reads.
    public typealias Samples = @Sendable (Subject) async throws -> [GetSample<Input, Entity>]

    /// Reads one entity; nil where there is none. A port that throws for that is wrapped, and throws its own error again. Nil:
    /// the entities stand in a list only.
    let find: PortCall<Subject, Input, Entity?>?
    /// The list in which the same entities stand, where there is one: it is held to the same promises.
    let page: PortCall<Subject, ListQuery, ListPage<Entity>>?
    let errors: GetErrors
    /// Empties the vendor, and adds entities of every shape: false, 0, "", nothing, empty arrays, odd letters.
    let samples: Samples
    /// Inputs that the vendor does not know now, well-made ones too.
    let unknown: @Sendable (Subject) async throws -> [Input]
    /// Empties the vendor, and adds entities with numbers up to 2^53-1 and amounts of money of many digits.
    let exact: Samples?
    let odd: OddPayloads<Subject, Input, Entity>?
    let mistakes: GetMistakes<Input, Entity>
    /// Whether what was read may stand for what was expected: by default only if they are equal.
    let isSame: @Sendable (_ read: Entity, _ expected: Entity) -> Bool

    /// An operation that throws if there is no such entity.
    ///
    /// - Parameter isSame: for entities with fields that a vendor rounds, or makes anew each time.
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

    /// An operation that answers nil if there is no such entity.
    ///
    /// - Parameters:
    ///   - errors: how an unreadable answer is recognised, for `odd`; the port throws nothing for what it does not find.
    ///   - isSame: for entities with fields that a vendor rounds, or makes anew each time.
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

    /// Entities that stand in a list, and cannot be asked for one by one: GET-02 is not theirs.
    ///
    /// - Parameter isSame: for entities with fields that a vendor rounds, or makes anew each time.
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
    /// The same call, of which nil is what is not found.
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
                    // The error is the port's own.
                    if let found = try await perform(input) { found } else { try await clean(input) }
                }
            }
        )
    }
}

/// What is read, and what a perfect adapter shows of it.
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

/// How a port's errors of reading are recognised.
public struct GetErrors: Sendable {
    let isNotFound: @Sendable (any Error) -> Bool
    let decodingPath: @Sendable (any Error) -> String?
    let withoutPath: @Sendable (any Error) -> any Error

    /// Recognises no error by default.
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

/// What careless adapters make of an entity: the mutants do it.
public struct GetMistakes<Input: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    let madeUp: @Sendable (Input) -> Entity
    let losingZeros: @Sendable (Entity) -> Entity
    let losingDigits: @Sendable (Entity) -> Entity

    /// Describes the mistakes that the mutants make.
    ///
    /// - Parameters:
    ///   - madeUp: an entity of defaults, made up where the vendor has none.
    ///   - losingZeros: the entity with its zeros mistaken for missing values.
    ///   - losingDigits: the entity with its numbers converted through too small a type.
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
