/// A list of a port that is read page by page: what the rules LIST-01 to LIST-11 need to know of it.
///
/// An adopter's list gets the rules, and the mutants that show that they can fail, by saying how it is seeded and read:
///
/// ```swift
/// let list = ListOperation(
///     call: PortCall("notes", get: { … }, replace: { … }),
///     isInvalidCursor: { ($0 as? NotesError)?.code == .invalidCursor },
///     isInvalidLimit: { ($0 as? NotesError)?.code == .invalidLimit },
///     seed: { subject, count in try await subject.probe.seedNotes(count) },
///     …
/// )
/// let rules = list.rules + …, mutants = list.mutants + …
/// ```
public struct ListOperation<Subject: Sendable, Item: Sendable & Hashable>: Sendable {
    public let call: PortCall<Subject, ListQuery, ListPage<Item>>
    /// Whether the port says by this error that a cursor is foreign, expired, or leads nowhere.
    public let isInvalidCursor: @Sendable (any Error) -> Bool
    /// Empties the vendor's list and adds so many items; returns them as a perfect adapter lists them, in the documented
    /// order.
    public let seed: @Sendable (Subject, _ count: Int) async throws -> [Item]
    /// Makes the vendor page oddly from now on.
    public let setQuirk: @Sendable (Subject, PagingQuirk) async throws -> Void
    /// Every cursor that the vendor has handed out is worth nothing any more.
    public let expireCursors: @Sendable (Subject) async throws -> Void
    /// Whether the port says by this error that a limit is below 1; nil: it takes such a limit for 1.
    public let isInvalidLimit: (@Sendable (any Error) -> Bool)?
    /// From now on every call of the list fails at the vendor, or no longer does; nil, and LIST-09 is not judged, if it
    /// cannot be told to.
    public let setFailing: (@Sendable (Subject, Bool) async throws -> Void)?
    /// Adds so many items to the list, whatever is there; nil: LIST-11 is not judged.
    public let grow: (@Sendable (Subject, _ count: Int) async throws -> Void)?
    /// How the list is narrowed or sorted, where it can be.
    public let selection: ListSelection<Subject, Item>?
    /// What an adapter declares whose cursors are the vendor's own; without it they are made by the adapter.
    public let vendorCursors: CapabilityTag
    /// Items a page, in most rules; at least 2.
    public let limit: Int
    /// More than the vendor gives in one page, to see that its cap is no end.
    public let aboveCap: Int

    public init(
        call: PortCall<Subject, ListQuery, ListPage<Item>>,
        limit: Int = 10,
        aboveCap: Int = 200,
        vendorCursors: CapabilityTag = "vendorCursors",
        isInvalidCursor: @escaping @Sendable (any Error) -> Bool,
        isInvalidLimit: (@Sendable (any Error) -> Bool)? = nil,
        seed: @escaping @Sendable (Subject, _ count: Int) async throws -> [Item],
        setQuirk: @escaping @Sendable (Subject, PagingQuirk) async throws -> Void,
        expireCursors: @escaping @Sendable (Subject) async throws -> Void,
        setFailing: (@Sendable (Subject, Bool) async throws -> Void)? = nil,
        grow: (@Sendable (Subject, _ count: Int) async throws -> Void)? = nil,
        selection: ListSelection<Subject, Item>? = nil
    ) {
        self.call = call
        self.limit = max(2, limit)
        self.aboveCap = aboveCap
        self.vendorCursors = vendorCursors
        self.isInvalidCursor = isInvalidCursor
        self.seed = seed
        self.setQuirk = setQuirk
        self.expireCursors = expireCursors
        self.isInvalidLimit = isInvalidLimit
        self.setFailing = setFailing
        self.grow = grow
        self.selection = selection
    }
}

/// What one page of a list is asked by.
public struct ListQuery: Sendable, Hashable {
    /// Where to go on; nil: at the beginning.
    public var cursor: String?
    public var limit: Int

    public init(cursor: String? = nil, limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// One page of a list.
public struct ListPage<Item: Sendable & Hashable>: Sendable, Hashable {
    public var items: [Item]
    /// Where to go on; nil: this is the last page.
    public var next: String?

    public init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
