#if Sandbox
import MenagerieV2
import SanctuaryDomain

/// The vendor's cursor inside the domain's: "v2:", the animals seen by the walk, ":", and the vendor's cursor, which
/// may be empty.
struct VendorCursor: Hashable {
    var vendor: String
    /// The items of earlier pages, for lists whose pages may overlap.
    var seen = SeenAnimals()

    var wrapped: Cursor { Cursor("v2:\(seen):\(vendor)") }

    init(_ vendor: String, seen: SeenAnimals = SeenAnimals()) {
        self.vendor = vendor
        self.seen = seen
    }

    /// - Throws: `invalidCursor` for a cursor of another adapter.
    init(_ cursor: Cursor) throws(SanctuaryError) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "v2", let seen = SeenAnimals(String(parts[1])) else {
            throw SanctuaryError(.invalidCursor, "the cursor belongs to another SDK", subject: cursor.rawValue)
        }
        self.init(String(parts[2]), seen: seen)
    }

    /// Returns the cursor from which to continue; nil for the first page.
    ///
    /// - Throws: `invalidRequest` for a limit below 1, `invalidCursor` for another adapter's cursor.
    static func asked(_ request: PageRequest) throws(SanctuaryError) -> VendorCursor? {
        guard request.limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page needs a limit of 1 or more", subject: "limit")
        }
        guard let cursor = request.cursor else { return nil }
        return try VendorCursor(cursor)
    }

    /// Returns the cursor that follows a page.
    ///
    /// - Throws: `invalidCursor` if the vendor returns the same cursor again: the walk would never end.
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
#endif
