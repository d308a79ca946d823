import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// A position in one of the fake's lists: the preceding record, and the epoch in which it was issued.
private struct FakeCursor {
    var list: String
    var epoch: Int
    var after: Int
    /// Whether the walk has returned its empty page.
    var hasPaused: Bool

    init(list: String, epoch: Int, after: Int, hasPaused: Bool) {
        self.list = list
        self.epoch = epoch
        self.after = after
        self.hasPaused = hasPaused
    }

    init?(_ raw: String) {
        let parts = raw.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let epoch = Int(parts[0]), let after = Int(parts[1]) else { return nil }
        self.init(list: String(parts[3]), epoch: epoch, after: after, hasPaused: parts[2] == "paused")
        guard raw == text else { return nil }
    }

    var text: String { "\(epoch)/\(after)/\(hasPaused ? "paused" : "on")/\(list)" }
}

extension FakeState {
    /// The maximum number of items in a page.
    private static let cap = 50

    /// Returns one page of the list of `operation`, under a name that distinguishes users' lists.
    mutating func page<Value>(
        _ request: PageRequest,
        of list: String,
        _ records: [FakeRecord<Value>],
        by operation: SanctuaryOperation
    ) throws(SanctuaryError) -> Page<FakeRecord<Value>> {
        guard request.limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page has at least one item", subject: "limit")
        }
        let quirk = quirks[operation]
        var place = FakeCursor(list: list, epoch: cursorEpoch, after: 0, hasPaused: false)
        if let cursor = request.cursor {
            place = try decoded(cursor, of: list)
            if quirk == .emptyPageWithCursor, !place.hasPaused {
                place.hasPaused = true
                return Page(items: [], next: Cursor(place.text))
            }
        }
        let rest = records.filter { $0.sequence > place.after }
        let items = Array(rest.prefix(min(request.limit, Self.cap)))
        guard let last = items.last, items.count < rest.count else { return Page(items: items, next: nil) }
        place.after = last.sequence
        return Page(items: items, next: try next(place.text, after: request.cursor, quirk))
    }

    private mutating func next(
        _ text: String,
        after cursor: Cursor?,
        _ quirk: PagingQuirk?
    ) throws(SanctuaryError) -> Cursor {
        switch (quirk, cursor) {
        case (.emptyStringCursor, nil):
            emptyCursor = text
            return Cursor("")
        case (.repeatedCursor, .some):
            throw SanctuaryError(.invalidCursor, "the vendor repeats the cursor", subject: cursor?.rawValue)
        default: return Cursor(text)
        }
    }

    private func decoded(_ cursor: Cursor, of list: String) throws(SanctuaryError) -> FakeCursor {
        let raw = cursor.rawValue.isEmpty ? emptyCursor ?? "" : cursor.rawValue
        guard let place = FakeCursor(raw), place.list == list else {
            throw SanctuaryError(.invalidCursor, "not a cursor of this list", subject: cursor.rawValue)
        }
        guard place.epoch == cursorEpoch else {
            throw SanctuaryError(.invalidCursor, "the cursor has expired", subject: cursor.rawValue)
        }
        return place
    }
}
