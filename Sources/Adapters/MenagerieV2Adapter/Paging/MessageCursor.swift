#if Sandbox
import MenagerieV2
import SanctuaryDomain

/// The vendor's cursor inside the domain's, with what is needed to notice that it is wrong.
///
/// The vendor's cursor for messages is a position: if a message before it is deleted during a walk, the next page begins one
/// message too late, and nothing says so. A message that is skipped leaves a gap in the vendor's sequence, though, so
/// where there is a gap the page before is asked again.
struct MessageCursor: Hashable {
    var vendor: String
    var before: Before

    /// The last page with messages before the cursor.
    struct Before: Hashable {
        /// The vendor's cursor of that page; nil for the first one.
        var cursor: String?
        var limit: Int
        /// The sequence of its last message; nil if no page had any.
        var last: Int?
    }

    /// Returns the cursor from which to continue; nil for the first page.
    ///
    /// - Throws: `invalidRequest` for a limit below 1, `invalidCursor` for the cursor of another adapter or list.
    static func asked(_ request: PageRequest) throws(SanctuaryError) -> MessageCursor? {
        guard request.limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page needs a limit of 1 or more", subject: "limit")
        }
        guard let cursor = request.cursor else { return nil }
        return try MessageCursor(cursor)
    }

    /// Returns the cursor that follows a page.
    ///
    /// - Throws: `invalidCursor` if the vendor returns the same cursor again: the walk would never end.
    static func next(
        after page: MenagerieV2.Page<MenagerieV2.Message>,
        asked: MessageCursor?,
        limit: Int
    ) throws(SanctuaryError) -> Cursor? {
        guard let next = page.nextCursor else { return nil }
        guard next != asked?.vendor else {
            throw SanctuaryError(.invalidCursor, "the vendor repeats a cursor", subject: next)
        }
        let last = page.items.last?.sequence
        let before =
            last.map { Before(cursor: asked?.vendor, limit: limit, last: $0) }
            ?? asked?.before ?? Before(cursor: nil, limit: limit, last: nil)
        return MessageCursor(vendor: next, before: before).wrapped
    }

    /// Whether a message may be missing between the page before and this one.
    func mayHaveGap(before page: MenagerieV2.Page<MenagerieV2.Message>) -> Bool {
        // Before the first message, a deletion moves nothing.
        guard let last = before.last else { return false }
        // The page after an empty one shows whether there is a gap.
        guard let first = page.items.first?.sequence else { return page.nextCursor == nil }
        return first.subtractingReportingOverflow(last) != (1, false)
    }

    /// - Parameter page: the page before, asked again.
    /// - Throws: `invalidCursor` unless it still ends with the same message, so that this cursor still begins after it.
    func check(against page: MenagerieV2.Page<MenagerieV2.Message>) throws(SanctuaryError) {
        guard page.items.last?.sequence == before.last else {
            throw SanctuaryError(.invalidCursor, "a message before it has been deleted", subject: wrapped.rawValue)
        }
    }

    // MARK: As text

    /// "v2:", the limit, the last sequence and the length of the earlier cursor, ":", and both cursors.
    var wrapped: Cursor {
        let (last, length) = (before.last.map(String.init) ?? "", before.cursor.map { "\($0.utf8.count)" } ?? "")
        return Cursor("v2:\(before.limit),\(last),\(length):\(before.cursor ?? "")\(vendor)")
    }

    init(vendor: String, before: Before) {
        self.vendor = vendor
        self.before = before
    }

    /// - Throws: `invalidCursor` for a cursor of another adapter or list.
    init(_ cursor: Cursor) throws(SanctuaryError) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "v2", let (before, vendor) = Self.parse(parts[1], parts[2]) else {
            throw SanctuaryError(
                .invalidCursor,
                "the cursor belongs to another SDK or list",
                subject: cursor.rawValue
            )
        }
        self.init(vendor: vendor, before: before)
    }

    private static func parse(_ numbers: Substring, _ cursors: Substring) -> (Before, String)? {
        let numbers = numbers.split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 3, let limit = Int(numbers[0]), limit >= 1 else { return nil }
        let (last, length) = (Int(numbers[1]), Int(numbers[2]))
        guard last != nil || numbers[1].isEmpty, length != nil || numbers[2].isEmpty else { return nil }
        let bytes = cursors.utf8
        guard (0...bytes.count).contains(length ?? 0) else { return nil }
        let earlier = length.map { String(decoding: bytes.prefix($0), as: UTF8.self) }
        let vendor = String(decoding: bytes.dropFirst(length ?? 0), as: UTF8.self)
        return (Before(cursor: earlier, limit: limit, last: last), vendor)
    }
}
#endif
