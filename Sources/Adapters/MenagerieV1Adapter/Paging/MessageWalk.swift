#if Sandbox
import SanctuaryDomain

/// A walk from the oldest message to the newest, over a list that the vendor returns newest first with offsets that
/// shift with each new message.
///
/// Positions are counted from the oldest message, so that newer ones do not move them, and the walk ends at the message
/// that was newest when it began. Each page reads the last message of the previous page again: if it is not found where
/// it can be, messages were deleted, and the walk ends with `invalidCursor` instead of skipping messages.
struct MessageWalk: Equatable {
    /// The number of messages older than the next page, when last seen.
    var position: Int
    /// The total number of messages, when last seen.
    var total: Int
    /// The message before `position`.
    var last: MessageID
    /// The newest message when the walk began.
    var until: MessageID

    init(position: Int, total: Int, last: MessageID, until: MessageID) {
        self.position = position
        self.total = total
        self.last = last
        self.until = until
    }

    /// - Throws: `invalidCursor` for a cursor of another adapter.
    init(_ cursor: Cursor) throws(SanctuaryError) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, let position = Int(parts[2]), let total = Int(parts[3]), let length = Int(parts[4]),
            0 < position, position < total, length >= 0,
            let last = String(parts[5].utf8.prefix(length)), let until = String(parts[5].utf8.dropFirst(length))
        else { throw .foreignCursor(cursor) }
        self.init(position: position, total: total, last: MessageID(last), until: MessageID(until))
        guard self.cursor == cursor else { throw .foreignCursor(cursor) }
    }

    /// "v1:messages:50:120:4:m-50m-120": the two ids are concatenated, preceded by the length of the first.
    var cursor: Cursor {
        Cursor("v1:messages:\(position):\(total):\(last.rawValue.utf8.count):\(last)\(until)")
    }

    /// Fetches messages from the vendor.
    typealias Fetch = (_ offset: Int, _ limit: Int) async throws -> Batch<Message>

    /// Returns the first page of a new walk.
    static func first(limit: Int, _ fetch: Fetch) async throws -> Page<Message> {
        let newest = try await fetch(0, limit)
        guard newest.total > limit, let until = newest.items.first?.id else {
            guard newest.items.count == newest.total else { throw incomplete }
            return Page(items: newest.items.reversed(), next: nil)
        }
        return try await page(from: 0, total: newest.total, last: nil, until: until, limit: limit, fetch)
    }

    /// Returns the page at this position.
    func page(limit: Int, _ fetch: Fetch) async throws -> Page<Message> {
        try await Self.page(from: position, total: total, last: last, until: until, limit: limit, fetch)
    }

    private static func page(
        from position: Int,
        total: Int,
        last: MessageID?,
        until: MessageID,
        limit: Int,
        _ fetch: Fetch
    ) async throws -> Page<Message> {
        let lower = last == nil ? position : position - 1
        var total = total
        for _ in 0..<4 {
            guard lower < total else { throw changed }
            // In this order no sum can overflow, whatever values the cursor or the vendor contains.
            let upper = lower + min(position - lower + limit, 1000, total - lower)
            let batch = try await fetch(total - upper, upper - lower)
            guard batch.total == total else {
                total = batch.total
                continue
            }
            guard batch.items.count == upper - lower else { throw incomplete }
            var items = Array(batch.items.reversed())
            if let last {
                // Late messages from a device whose clock is slow precede it, but are newer than the walk.
                guard let index = items.firstIndex(where: { $0.id == last }) else { throw changed }
                items.removeFirst(index + 1)
            }
            if let end = items.firstIndex(where: { $0.id == until }) {
                return Page(items: Array(items[...end]), next: nil)
            }
            guard upper < total, let newLast = items.last?.id ?? last else { return Page(items: items, next: nil) }
            let next = MessageWalk(position: upper, total: total, last: newLast, until: until)
            return Page(items: items, next: next.cursor)
        }
        throw SanctuaryError(.unavailable, "messages arrive faster than a page can be read")
    }

    private static let changed = SanctuaryError(.invalidCursor, "messages before the cursor have changed; start again")
    private static let incomplete = SanctuaryError(.invalidCursor, "the vendor returned fewer messages than announced")
}
#endif
