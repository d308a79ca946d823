#if Sandbox
import SanctuaryDomain

/// A position in one of the vendor's lists that are walked forwards by offset: "v1:animals:50".
struct OffsetCursor: Equatable {
    var list: String
    var offset: Int

    /// - Throws: `invalidCursor` for a cursor of another adapter or list.
    static func offset(of request: PageRequest, in list: String) throws(SanctuaryError) -> Int {
        guard let cursor = request.cursor else { return 0 }
        let prefix = "v1:\(list):"
        guard cursor.rawValue.hasPrefix(prefix), let offset = Int(cursor.rawValue.dropFirst(prefix.count)), offset > 0,
            OffsetCursor(list: list, offset: offset).cursor == cursor
        else { throw .foreignCursor(cursor) }
        return offset
    }

    var cursor: Cursor { Cursor("v1:\(list):\(offset)") }
}

/// The vendor's translated items for an offset and a limit.
struct Batch<Item: Sendable>: Sendable {
    var items: [Item]
    /// The current length of the whole list.
    var total: Int

    /// Returns the page that begins at `offset`.
    ///
    /// - Throws: `invalidCursor` if the vendor makes no progress, or the list has become shorter than the offset.
    func page(at offset: Int, limit: Int, in list: String) throws(SanctuaryError) -> Page<Item> {
        let items = Array(items.prefix(limit))
        guard offset <= total else { throw SanctuaryError(.invalidCursor, "the list has shrunk; start again") }
        let (end, isBeyondAll) = offset.addingReportingOverflow(items.count)
        guard !isBeyondAll, end < total else { return Page(items: items, next: nil) }
        guard !items.isEmpty else {
            throw SanctuaryError(.invalidCursor, "the vendor announces \(total) items, but returns none at \(offset)")
        }
        return Page(items: items, next: OffsetCursor(list: list, offset: end).cursor)
    }
}

extension PageRequest {
    /// Returns the number of items to request.
    ///
    /// - Throws: `invalidRequest` for a limit below 1.
    func vendorLimit() throws(SanctuaryError) -> Int {
        guard limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page has at least one item", subject: "limit")
        }
        return min(limit, 1000)
    }
}

extension SanctuaryError {
    static func foreignCursor(_ cursor: Cursor) -> SanctuaryError {
        SanctuaryError(.invalidCursor, "the cursor belongs to another adapter or list", subject: cursor.rawValue)
    }
}
#endif
