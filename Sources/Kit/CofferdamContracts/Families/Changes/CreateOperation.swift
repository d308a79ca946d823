/// An operation of a port that creates an entity: what the rules MUT-01 and MUT-04 to MUT-08 need to know of it.
///
/// ```swift
/// let note = CreateOperation(
///     call: PortCall("add", get: { … }, replace: { … }), get: noteCall, list: notesCall, id: \.id,
///     errors: CreateErrors(…), vendor: CreateEvidence(…),
///     prepare: { try await $0.probe.reset() },
///     drafts: { _ in [NoteDraft("first"), NoteDraft("second")] },
///     shows: { note, draft in note.text == draft.text },
///     rejected: [(NoteDraft(""), field: "text")],
///     another: { $0.underNewKey() }
/// )
/// ```
public struct CreateOperation<Subject: Sendable, Draft: Sendable, ID: Sendable, Entity: Sendable & Hashable>: RuleFamily
{
    let call: PortCall<Subject, Draft, Entity>
    /// How one is read, where the port can.
    let get: PortCall<Subject, ID, Entity>?
    let list: PortCall<Subject, ListQuery, ListPage<Entity>>
    let id: @Sendable (Entity) -> ID
    let errors: CreateErrors
    let vendor: CreateEvidence<Subject>
    /// Empties the vendor, and signs in where that is needed.
    let prepare: @Sendable (Subject) async throws -> Void
    /// What can be created, at least two; the same at each call.
    let drafts: @Sendable (Subject) -> [Draft]
    /// Whether the entity is what was drafted.
    let shows: @Sendable (Entity, Draft) -> Bool
    /// What adapter or vendor refuses, and the field that it must name.
    let rejected: @Sendable (Subject) -> [(draft: Draft, field: String)]
    /// A draft that contradicts one that was carried out; nil if there is no such thing.
    let contradiction: (@Sendable (Draft) -> Draft)?
    /// The same content as another attempt, which is not known to be the same.
    let another: @Sendable (Draft) -> Draft
    /// Whether the same draft again is the same entity.
    let isRepeatable: Bool
    /// What an adapter declares that sends the attempt's name along, so that it may be sent several times.
    let deduplicates: CapabilityTag?

    public init(
        call: PortCall<Subject, Draft, Entity>,
        get: PortCall<Subject, ID, Entity>? = nil,
        list: PortCall<Subject, ListQuery, ListPage<Entity>>,
        id: @escaping @Sendable (Entity) -> ID,
        errors: CreateErrors,
        vendor: CreateEvidence<Subject>,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        drafts: @escaping @Sendable (Subject) -> [Draft],
        shows: @escaping @Sendable (Entity, Draft) -> Bool,
        rejected: @escaping @Sendable (Subject) -> [(draft: Draft, field: String)],
        contradiction: (@Sendable (Draft) -> Draft)? = nil,
        another: @escaping @Sendable (Draft) -> Draft,
        isRepeatable: Bool = false,
        deduplicates: CapabilityTag? = nil
    ) {
        self.call = call
        self.get = get
        self.list = list
        self.id = id
        self.errors = errors
        self.vendor = vendor
        self.prepare = prepare
        self.drafts = drafts
        self.shows = shows
        self.rejected = rejected
        self.contradiction = contradiction
        self.another = another
        self.isRepeatable = isRepeatable
        self.deduplicates = deduplicates
    }
}

/// How a port's errors of changing are recognised, and those that careless adapters throw in their place.
public struct CreateErrors: Sendable {
    /// The field that a refusal names, "" if none; nil for any other error.
    let rejectedField: @Sendable (any Error) -> String?
    let isConflict: @Sendable (any Error) -> Bool
    public let isOutcomeUnknown: @Sendable (any Error) -> Bool
    let notFound: any Error
    public let unreachable: any Error

    public init(
        rejectedField: @escaping @Sendable (any Error) -> String?,
        isConflict: @escaping @Sendable (any Error) -> Bool,
        isOutcomeUnknown: @escaping @Sendable (any Error) -> Bool,
        notFound: any Error,
        unreachable: any Error
    ) {
        self.rejectedField = rejectedField
        self.isConflict = isConflict
        self.isOutcomeUnknown = isOutcomeUnknown
        self.notFound = notFound
        self.unreachable = unreachable
    }
}

/// The vendor's side of an operation that creates.
public struct CreateEvidence<Subject: Sendable>: Sendable {
    /// The next so many calls go wrong.
    let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    /// Takes back what has not gone wrong yet.
    let clearFaults: @Sendable (Subject) async throws -> Void
    /// How many calls have arrived.
    let calls: @Sendable (Subject) async throws -> Int
    /// The fields of the calls that have arrived which the vendor's description of the operation does not have.
    ///
    /// A call of the subject like those of the port, so that a mutant can stand for an adapter that sends too much, of
    /// which the port shows nothing.
    let strayFields: PortCall<Subject, Void, [String]>

    public init(
        inject: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
        clearFaults: @escaping @Sendable (Subject) async throws -> Void,
        calls: @escaping @Sendable (Subject) async throws -> Int,
        strayFields: PortCall<Subject, Void, [String]>
    ) {
        self.inject = inject
        self.clearFaults = clearFaults
        self.calls = calls
        self.strayFields = strayFields
    }
}
