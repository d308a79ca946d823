#if Sandbox
/// A behaviour of v2's lists that clients tend not to expect. v1, with its offsets, has none of them.
public enum PagingQuirk: String, Sendable, Hashable, CaseIterable {
    /// The second page has no items, but a cursor to the rest.
    case emptyPageWithCursor
    /// The first page's cursor is an empty string, and valid.
    case emptyStringCursor
    /// The second page's cursor leads to the second page.
    case repeatedCursor
}

/// v2's cursors: they are self-contained, bound to their list, and expire.
struct PagingState: Sendable {
    var quirks: [Operation: PagingQuirk] = [:]
    /// Cursors of an earlier generation are expired.
    var generation = 0
    /// The number of pages requested, which makes two cursors to one position differ.
    private var serial = 0
    /// The position of an empty cursor, by the list's name.
    private var emptyCursors: [String: Position] = [:]
    /// The lists that returned an empty page since their first page.
    private var listsWithEmptyPage: Set<String> = []

    static let lifetime: Duration = .seconds(600)
    static let largestPage = 50

    struct Position: Sendable, Hashable {
        /// The number of items returned.
        var offset: Int
        /// The length of the list then.
        var count: Int
    }

    struct Page: Sendable {
        var range: Range<Int>
        var nextCursor: String?
    }

    /// Returns the page after a cursor of the list `name`, which has `count` items now.
    ///
    /// `shifts`: whether items are inserted before the cursor. If the list has grown, the page then begins that much
    /// earlier, and overlaps with the previous one.
    mutating func page(
        of name: String,
        after cursor: String?,
        limit: Int,
        count: Int,
        shifts: Bool,
        quirk: PagingQuirk?,
        checksum: Checksum,
        at moment: Timestamp
    ) throws(Refusal) -> Page {
        serial += 1
        let serial = serial
        if cursor == nil { listsWithEmptyPage.remove(name) }
        let position = try cursor.map { cursor throws(Refusal) in
            try self.position(of: cursor, list: name, checksum: checksum, at: moment)
        }
        var start = position?.offset ?? 0
        if shifts, let position { start -= max(0, count - position.count) }
        start = min(max(start, 0), count)
        let end = min(start + limit, count)
        func sealed(_ offset: Int) -> String {
            let numbers = [offset, count, generation, serial].map(String.init)
            return Self.hexadecimal(checksum.sealed([name] + numbers + [String(moment.milliseconds)]))
        }
        switch quirk {
        case .emptyPageWithCursor? where cursor != nil && !listsWithEmptyPage.contains(name):
            listsWithEmptyPage.insert(name)
            return Page(range: start..<start, nextCursor: sealed(start))
        case .emptyStringCursor? where cursor == nil && end < count:
            emptyCursors[name] = Position(offset: end, count: count)
            return Page(range: start..<end, nextCursor: "")
        case .repeatedCursor? where cursor != nil:
            return Page(range: start..<end, nextCursor: cursor)
        default:
            return Page(range: start..<end, nextCursor: end < count ? sealed(end) : nil)
        }
    }

    private func position(
        of cursor: String,
        list name: String,
        checksum: Checksum,
        at moment: Timestamp
    ) throws(Refusal) -> Position {
        if cursor.isEmpty, let position = emptyCursors[name] { return position }
        guard let text = Self.fromHexadecimal(cursor), let fields = checksum.opened(text), fields.count == 6,
            let offset = Int(fields[1]), let count = Int(fields[2]), let issued = Int64(fields[5])
        else { throw Refusal(.invalidCursor, "not a cursor of this service") }
        guard fields[0] == name else { throw Refusal(.invalidCursor, "the cursor is another list's") }
        guard fields[3] == String(generation),
            moment < Timestamp(milliseconds: issued) + Self.lifetime
        else { throw Refusal(.invalidCursor, "the cursor has expired") }
        return Position(offset: offset, count: count)
    }

    /// Returns the bytes in hexadecimal, without dots.
    static func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func fromHexadecimal(_ text: String) -> String? {
        let digits = Array(text.utf8)
        guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
#endif
