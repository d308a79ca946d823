/// A list of a port that is read page by page, described for the rules LIST-01 to LIST-16.
///
/// Say how your list is seeded and read, and it gets the rules and the mutants that show that the rules can fail:
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
    let isInvalidCursor: @Sendable (any Error) -> Bool
    let isOrdered: Bool
    let seed: @Sendable (Subject, _ count: Int) async throws -> [Item]
    let setQuirk: @Sendable (Subject, PagingQuirk) async throws -> Void
    let expireCursors: @Sendable (Subject) async throws -> Void
    let isInvalidLimit: (@Sendable (any Error) -> Bool)?
    let setFailing: (@Sendable (Subject, Bool) async throws -> Void)?
    let grow: (@Sendable (Subject, _ count: Int) async throws -> Void)?
    let remove: (@Sendable (Subject, Item) async throws -> Void)?
    let selection: ListSelection<Subject, Item>?
    let sharedCursors: SharedCursors<Subject>?
    let instances: ListInstances<Subject, Item>?
    let vendorCursors: CapabilityTag
    let limit: Int
    let aboveCap: Int

    /// Describes a list that is read page by page.
    ///
    /// - Parameters:
    ///   - limit: items per page in most rules; at least 2.
    ///   - aboveCap: more items than the vendor returns in one page, to show that a capped page does not end the
    ///     list.
    ///   - isOrdered: whether the port promises an order. If it does not, as for a set or a scan, the rules compare
    ///     items in any order; each item must still come exactly once, and a page must be as long as its limit.
    ///   - sharedCursors: where else a cursor is valid; nil if only the instance that returned it accepts it.
    ///   - instances: other instances that show the same list at the same time; nil if there is only ever one.
    ///   - vendorCursors: the capability of adapters that pass on the vendor's cursors; others make their own.
    ///   - isInvalidCursor: whether the port's error says that a cursor is foreign, expired, or leads nowhere.
    ///   - isInvalidLimit: whether the port's error says that a limit is below 1; nil if the port treats such a limit
    ///     as 1.
    ///   - seed: empties the vendor's list and adds this many items; returns them as a correct adapter lists them, in
    ///     the documented order if there is one.
    ///   - setQuirk: makes the vendor page oddly from now on.
    ///   - expireCursors: invalidates every cursor that the vendor has handed out.
    ///   - setFailing: starts or stops failing every call of the list at the vendor; nil if the harness cannot, and
    ///     LIST-09 is then not judged.
    ///   - grow: adds this many items to the list; nil if the harness cannot, and LIST-11 is then not judged.
    ///   - remove: removes this item from the list; nil if the harness cannot, and LIST-13 is then not judged.
    ///   - selection: how the list is filtered or sorted, if it can be.
    public init(
        call: PortCall<Subject, ListQuery, ListPage<Item>>,
        limit: Int = 10,
        aboveCap: Int = 200,
        isOrdered: Bool = true,
        sharedCursors: SharedCursors<Subject>? = nil,
        instances: ListInstances<Subject, Item>? = nil,
        vendorCursors: CapabilityTag = "vendorCursors",
        isInvalidCursor: @escaping @Sendable (any Error) -> Bool,
        isInvalidLimit: (@Sendable (any Error) -> Bool)? = nil,
        seed: @escaping @Sendable (Subject, _ count: Int) async throws -> [Item],
        setQuirk: @escaping @Sendable (Subject, PagingQuirk) async throws -> Void,
        expireCursors: @escaping @Sendable (Subject) async throws -> Void,
        setFailing: (@Sendable (Subject, Bool) async throws -> Void)? = nil,
        grow: (@Sendable (Subject, _ count: Int) async throws -> Void)? = nil,
        remove: (@Sendable (Subject, Item) async throws -> Void)? = nil,
        selection: ListSelection<Subject, Item>? = nil
    ) {
        self.call = call
        self.limit = max(2, limit)
        self.aboveCap = aboveCap
        self.isOrdered = isOrdered
        self.sharedCursors = sharedCursors
        self.instances = instances
        self.vendorCursors = vendorCursors
        self.isInvalidCursor = isInvalidCursor
        self.seed = seed
        self.setQuirk = setQuirk
        self.expireCursors = expireCursors
        self.isInvalidLimit = isInvalidLimit
        self.setFailing = setFailing
        self.grow = grow
        self.remove = remove
        self.selection = selection
    }
}

/// Cursors in a form that the port itself documents, such as an offset or the last item's id: every adapter and
/// instance accepts those of any other.
///
/// LIST-12 checks that. LIST-06 tries only the texts that are `malformed`, and LIST-10 does not apply. In the upgrade,
/// leave the operation's `paging` out of the table, so that each page may fall back.
public struct SharedCursors<Subject: Sendable>: Sendable {
    let elsewhere: @Sendable (Subject) async throws -> Subject
    let close: @Sendable (Subject) async -> Void
    let malformed: [String]

    /// Describes cursors that another instance can continue from.
    ///
    /// - Parameters:
    ///   - malformed: texts that are not cursors, and are refused as invalid; empty if every text is one.
    ///   - elsewhere: opens another subject with the same list: another instance of the adapter, or the other
    ///     vendor's adapter on the same data.
    ///   - close: closes the other subject.
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

/// The request for one page of a list.
public struct ListQuery: Sendable, Hashable {
    /// Where to continue; nil for the beginning.
    public var cursor: String?
    /// The maximum number of items to return.
    public var limit: Int

    /// Asks for the page after `cursor`, from the beginning by default.
    public init(cursor: String? = nil, limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// One page of a list.
public struct ListPage<Item: Sendable & Hashable>: Sendable, Hashable {
    /// The page's items, in the list's order.
    public var items: [Item]
    /// Where to continue; nil if this is the last page.
    public var next: String?

    /// Creates a page; `next` is nil for the last one.
    public init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
