/// A list of a port that is read page by page: what the rules LIST-01 to LIST-12 need to know of it.
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
public struct ListOperation<Subject: Sendable, Item: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, ListQuery, ListPage<Item>>
    /// Whether the port says by this error that a cursor is foreign, expired, or leads nowhere.
    let isInvalidCursor: @Sendable (any Error) -> Bool
    /// Whether the port promises an order. Where it does not, as for a set or a scan, the rules compare what a walk gives in any
    /// order. Each item is still there exactly once, and a page is as long as its limit says.
    let isOrdered: Bool
    /// Empties the vendor's list and adds so many items; returns them as a perfect adapter lists them, in the documented
    /// order if there is one.
    let seed: @Sendable (Subject, _ count: Int) async throws -> [Item]
    /// Makes the vendor page oddly from now on.
    let setQuirk: @Sendable (Subject, PagingQuirk) async throws -> Void
    /// Every cursor that the vendor has handed out is worth nothing any more.
    let expireCursors: @Sendable (Subject) async throws -> Void
    /// Whether the port says by this error that a limit is below 1; nil: it takes such a limit for 1.
    let isInvalidLimit: (@Sendable (any Error) -> Bool)?
    /// From now on every call of the list fails at the vendor, or no longer does; nil, and LIST-09 is not judged, if it
    /// cannot be told to.
    let setFailing: (@Sendable (Subject, Bool) async throws -> Void)?
    /// Adds so many items to the list, whatever is there; nil: LIST-11 is not judged.
    let grow: (@Sendable (Subject, _ count: Int) async throws -> Void)?
    /// How the list is narrowed or sorted, where it can be.
    let selection: ListSelection<Subject, Item>?
    /// How the cursors are served that are the port's own; nil: a cursor is good only where it was given.
    let sharedCursors: SharedCursors<Subject>?
    /// What an adapter declares whose cursors are the vendor's own; without it they are made by the adapter.
    let vendorCursors: CapabilityTag
    /// Items a page, in most rules; at least 2.
    let limit: Int
    /// More than the vendor gives in one page, to see that its cap is no end.
    let aboveCap: Int

    public init(
        call: PortCall<Subject, ListQuery, ListPage<Item>>,
        limit: Int = 10,
        aboveCap: Int = 200,
        isOrdered: Bool = true,
        sharedCursors: SharedCursors<Subject>? = nil,
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
        self.isOrdered = isOrdered
        self.sharedCursors = sharedCursors
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

/// Cursors in a form that the port itself documents, such as an offset or the last item's id: every adapter and instance can serve
/// those of any other.
///
/// LIST-12 holds the adapters to that. LIST-06 asks only for the texts that are ``malformed``, and LIST-10 does not apply. In the
/// upgrade, leave the operation's `paging` out of the table, and each page may fall back.
public struct SharedCursors<Subject: Sendable>: Sendable {
    /// Opens something else that serves the same list: another instance of the adapter, or the other vendor's over the same data.
    let elsewhere: @Sendable (Subject) async throws -> Subject
    /// Closes it.
    let close: @Sendable (Subject) async -> Void
    /// Texts that are no cursors, and are refused as invalid; empty: every text is one.
    let malformed: [String]

    public init(
        malformed: [String],
        elsewhere: @escaping @Sendable (Subject) async throws -> Subject,
        close: @escaping @Sendable (Subject) async -> Void = { _ in }
    ) {
        self.malformed = malformed
        self.elsewhere = elsewhere
        self.close = close
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
