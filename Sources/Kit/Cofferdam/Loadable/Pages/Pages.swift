/// The pages that are there, in order, each with what it was asked for by.
public struct Pages<Cursor: Sendable, Page: Sendable>: Sendable {
    public struct Entry: Sendable {
        public let cursor: Cursor
        public let page: Page

        public init(cursor: Cursor, page: Page) {
            self.cursor = cursor
            self.page = page
        }
    }

    public internal(set) var entries: [Entry]

    public init(_ entries: [Entry] = []) { self.entries = entries }

    public var pages: [Page] { entries.map(\.page) }
}

/// In which direction pages are added.
public enum PageDirection: String, Sendable, Hashable, CaseIterable {
    case next
    case previous
}
