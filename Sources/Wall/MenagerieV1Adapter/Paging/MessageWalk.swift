import SanctuaryDomain

/// A walk from the oldest message to the newest over a list that the vendor gives newest first, by offsets that shift
/// with each new message.
///
/// Positions are counted from the oldest message, which new ones do not move. The walk ends at the message that was the
/// newest when it began. Each page reads the last message of the page before again: if it is not where it was, something
/// was deleted, and the walk ends with `invalidCursor`, not with a gap.
struct MessageWalk: Equatable {
    /// Where to go on.
    var position: Int
    /// Where the walk ends: how many messages there were at its beginning.
    var end: Int
    /// How many there were when last seen.
    var total: Int
    /// The message before `position`.
    var last: MessageID

    init(position: Int, end: Int, total: Int, last: MessageID) {
        self.position = position
        self.end = end
        self.total = total
        self.last = last
    }

    /// - Throws: `invalidCursor` for one that was not made here.
    init(_ cursor: Cursor) throws(SanctuaryError) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, let position = Int(parts[2]), let end = Int(parts[3]), let total = Int(parts[4]),
            0 < position, position < end, end <= total
        else { throw .foreignCursor(cursor) }
        self.init(position: position, end: end, total: total, last: MessageID(String(parts[5])))
        guard self.cursor == cursor else { throw .foreignCursor(cursor) }
    }

    /// "v1:messages:50:120:121:m-50".
    var cursor: Cursor { Cursor("v1:messages:\(position):\(end):\(total):\(last)") }

    typealias Fetch = (_ offset: Int, _ limit: Int) async throws -> Batch<Message>

    /// The first page of a new walk.
    static func first(limit: Int, _ fetch: Fetch) async throws -> Page<Message> {
        let newest = try await fetch(0, limit)
        if newest.total <= limit, newest.items.count == newest.total {
            return Page(items: newest.items.reversed(), next: nil)
        }
        return try await page(from: 0, end: newest.total, total: newest.total, last: nil, limit: limit, fetch)
    }

    /// The page at this place.
    func page(limit: Int, _ fetch: Fetch) async throws -> Page<Message> {
        try await Self.page(from: position, end: end, total: total, last: last, limit: limit, fetch)
    }

    private static func page(
        from position: Int,
        end: Int,
        total: Int,
        last: MessageID?,
        limit: Int,
        _ fetch: Fetch
    ) async throws -> Page<Message> {
        let lower = last == nil ? position : position - 1
        let upper = min(position + limit, end, lower + 1000)
        var total = total
        for _ in 0..<4 {
            let batch = try await fetch(total - upper, upper - lower)
            guard batch.total >= total else { throw deleted }
            guard batch.total == total else {
                total = batch.total
                continue
            }
            var items = Array(batch.items.reversed())
            guard items.count == upper - lower else {
                throw SanctuaryError(.invalidCursor, "the vendor gave \(items.count) messages of \(upper - lower)")
            }
            if let last, items.removeFirst().id != last { throw deleted }
            guard upper < end, let newLast = items.last?.id else { return Page(items: items, next: nil) }
            let next = MessageWalk(position: upper, end: end, total: total, last: newLast)
            return Page(items: items, next: next.cursor)
        }
        throw SanctuaryError(.unavailable, "messages arrive faster than a page can be read")
    }

    private static let deleted = SanctuaryError(.invalidCursor, "messages were deleted during the walk; begin again")
}
