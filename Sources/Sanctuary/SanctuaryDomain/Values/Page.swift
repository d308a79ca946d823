/// A request for one page of a list.
public struct PageRequest: Sendable, Hashable {
    /// The position from which to continue; nil starts at the beginning.
    public var cursor: Cursor?
    /// The maximum number of items. An adapter may return fewer, never more; below 1 is `invalidRequest`.
    public var limit: Int

    public init(cursor: Cursor? = nil, limit: Int = 50) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// A part of a list, with the cursor of the next part.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The next page's cursor. Absent on the last page, and only there: an empty page may have one.
    public var next: Cursor?

    public init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}

/// A position in a list, for the adapter that made it. It may be any text, including "".
public struct Cursor: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}
