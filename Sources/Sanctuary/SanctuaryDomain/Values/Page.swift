/// Asks for one page of a list.
public struct PageRequest: Sendable, Hashable {
    /// Where to go on; nil begins at the start.
    public var cursor: Cursor?
    /// How many items at the most. An adapter may give fewer, never more; below 1 is `invalidRequest`.
    public var limit: Int

    public init(cursor: Cursor? = nil, limit: Int = 50) {
        self.cursor = cursor
        self.limit = limit
    }
}

/// A part of a list, and the way to the next part.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// Absent on the last page, and only there: an empty page may have one.
    public var next: Cursor?

    public init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}

/// A place in a list, to be given back to the adapter that made it. Anything may stand in it, "" too.
public struct Cursor: Sendable, Hashable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
}
