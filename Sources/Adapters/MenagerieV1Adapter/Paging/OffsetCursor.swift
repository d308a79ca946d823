import SanctuaryDomain

/// A place in one of the vendor's lists that are walked forwards by offset: "v1:animals:50".
struct OffsetCursor: Equatable {
    var list: String
    var offset: Int

    /// - Throws: `invalidCursor` for one that was not made for `list` here.
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

/// What the vendor gives for an offset and a limit, translated.
struct Batch<Item: Sendable>: Sendable {
    var items: [Item]
    /// How long the whole list is now.
    var total: Int

    /// The page that begins at `offset`.
    ///
    /// - Throws: `invalidCursor` if the vendor does not get on, or the list has become shorter than the offset.
    func page(at offset: Int, limit: Int, in list: String) throws(SanctuaryError) -> Page<Item> {
        let items = Array(items.prefix(limit))
        guard offset <= total else { throw SanctuaryError(.invalidCursor, "the list has shrunk; begin again") }
        let (end, isBeyondAll) = offset.addingReportingOverflow(items.count)
        guard !isBeyondAll, end < total else { return Page(items: items, next: nil) }
        guard !items.isEmpty else {
            throw SanctuaryError(.invalidCursor, "the vendor says \(total) items, and gives none at \(offset)")
        }
        return Page(items: items, next: OffsetCursor(list: list, offset: end).cursor)
    }
}

extension PageRequest {
    /// How many items to ask for.
    ///
    /// - Throws: `invalidRequest` for less than one.
    func vendorLimit() throws(SanctuaryError) -> Int {
        guard limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page has at least one item", subject: "limit")
        }
        return min(limit, 1000)
    }
}

extension SanctuaryError {
    static func foreignCursor(_ cursor: Cursor) -> SanctuaryError {
        SanctuaryError(.invalidCursor, "the cursor was not made here, or for another list", subject: cursor.rawValue)
    }
}
