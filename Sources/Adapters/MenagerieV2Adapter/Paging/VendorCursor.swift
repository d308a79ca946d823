import MenagerieV2
import SanctuaryDomain

/// The vendor's cursor inside the domain's: "v2:", what the walk has seen, ":", and whatever the vendor gave, "" too.
struct VendorCursor: Hashable {
    var vendor: String
    /// What the pages before held, where the vendor's pages may overlap.
    var seen = SeenAnimals()

    var wrapped: Cursor { Cursor("v2:\(seen):\(vendor)") }

    init(_ vendor: String, seen: SeenAnimals = SeenAnimals()) {
        self.vendor = vendor
        self.seen = seen
    }

    /// - Throws: `invalidCursor` for one that another adapter made.
    init(_ cursor: Cursor) throws(SanctuaryError) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "v2", let seen = SeenAnimals(String(parts[1])) else {
            throw SanctuaryError(.invalidCursor, "another SDK's cursor", subject: cursor.rawValue)
        }
        self.init(String(parts[2]), seen: seen)
    }

    /// Where to ask the vendor to go on; nil begins at the start.
    ///
    /// - Throws: `invalidRequest` for a limit below 1, `invalidCursor` for another adapter's cursor.
    static func asked(_ request: PageRequest) throws(SanctuaryError) -> VendorCursor? {
        guard request.limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page needs a limit of 1 or more", subject: "limit")
        }
        guard let cursor = request.cursor else { return nil }
        return try VendorCursor(cursor)
    }

    /// Where to go on after a page.
    ///
    /// - Throws: `invalidCursor` if the vendor leads back to the page itself: that walk would never end.
    static func next<Item>(
        after page: MenagerieV2.Page<Item>,
        asked: VendorCursor?,
        seen: SeenAnimals = SeenAnimals()
    ) throws(SanctuaryError) -> Cursor? {
        guard let next = page.nextCursor else { return nil }
        guard next != asked?.vendor else {
            throw SanctuaryError(.invalidCursor, "the vendor repeats a cursor", subject: next)
        }
        return VendorCursor(next, seen: seen).wrapped
    }
}
