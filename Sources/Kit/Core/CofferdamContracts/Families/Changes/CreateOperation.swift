/// An operation of a port that creates an entity, described for the rules MUT-01 and MUT-04 to MUT-08.
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
    let get: PortCall<Subject, ID, Entity>?
    let list: PortCall<Subject, ListQuery, ListPage<Entity>>
    let id: @Sendable (Entity) -> ID
    let errors: CreateErrors
    let vendor: CreateEvidence<Subject>
    let prepare: @Sendable (Subject) async throws -> Void
    let drafts: @Sendable (Subject) -> [Draft]
    let shows: @Sendable (Entity, Draft) -> Bool
    let rejected: @Sendable (Subject) -> [(draft: Draft, field: String)]
    let contradiction: (@Sendable (Draft) -> Draft)?
    let another: @Sendable (Draft) -> Draft
    let isRepeatable: Bool
    let deduplicates: CapabilityTag?

    /// Describes a creation.
    ///
    /// - Parameters:
    ///   - get: reads one entity, if the port can.
    ///   - prepare: empties the vendor, and signs in where that is needed.
    ///   - drafts: at least two drafts that can be created; the same on every call.
    ///   - shows: whether the entity matches the draft.
    ///   - rejected: drafts that the adapter or the vendor refuses, with the field that the error must name.
    ///   - contradiction: a draft that contradicts one already created; nil if none can.
    ///   - another: the same content as a new attempt, which the vendor cannot recognise.
    ///   - isRepeatable: whether creating from the same draft again returns the same entity.
    ///   - deduplicates: the capability of adapters that send a key along, so that an attempt may be sent several
    ///     times.
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

/// How to recognise a port's errors of creating, and the errors that careless adapters throw instead.
public struct CreateErrors: Sendable {
    let rejectedField: @Sendable (any Error) -> String?
    let isConflict: @Sendable (any Error) -> Bool
    /// Whether an error says that the entity may or may not have been created.
    public let isOutcomeUnknown: @Sendable (any Error) -> Bool
    let notFound: any Error
    /// The error that a careless adapter throws instead.
    public let unreachable: any Error

    /// Describes how to recognise a port's errors of creating.
    ///
    /// - Parameter rejectedField: the field that a refusal names, "" if none; nil for any other error.
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
    let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
    let clearFaults: @Sendable (Subject) async throws -> Void
    let calls: @Sendable (Subject) async throws -> Int
    let strayFields: PortCall<Subject, Void, [String]>

    /// Describes what the harness does and counts at the vendor.
    ///
    /// - Parameters:
    ///   - inject: makes the next calls fail, the given number of times.
    ///   - clearFaults: removes the faults that have not occurred yet.
    ///   - calls: returns how many calls have arrived.
    ///   - strayFields: returns the fields that have arrived but are not in the vendor's description of the operation.
    ///     It is a call of the subject, so that a mutant can act as an adapter that sends too much, which the port does
    ///     not show.
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
