import MenagerieV2
import SanctuaryDomain

/// The vendor's cursor inside the domain's: "v2:" and then whatever the vendor gave, "" too.
enum VendorCursor {
    private static let tag = "v2:"

    static func wrap(_ cursor: String) -> Cursor { Cursor(tag + cursor) }

    /// - Throws: `invalidCursor` for one that another adapter made.
    static func unwrap(_ cursor: Cursor) throws(SanctuaryError) -> String {
        guard cursor.rawValue.hasPrefix(tag) else {
            throw SanctuaryError(.invalidCursor, "another SDK's cursor", subject: cursor.rawValue)
        }
        return String(cursor.rawValue.dropFirst(tag.count))
    }

    /// What to ask the vendor for.
    ///
    /// - Throws: `invalidRequest` for a limit below 1, `invalidCursor` for another adapter's cursor.
    static func asked(_ request: PageRequest) throws(SanctuaryError) -> String? {
        guard request.limit >= 1 else {
            throw SanctuaryError(.invalidRequest, "a page needs a limit of 1 or more", subject: "limit")
        }
        guard let cursor = request.cursor else { return nil }
        return try unwrap(cursor)
    }

    /// Where to go on after a page.
    ///
    /// - Throws: `invalidCursor` if the vendor leads back to the page itself: that walk would never end.
    static func next<Item>(after page: MenagerieV2.Page<Item>, asked: String?) throws(SanctuaryError) -> Cursor? {
        guard let next = page.nextCursor else { return nil }
        guard next != asked else {
            throw SanctuaryError(.invalidCursor, "the vendor repeats a cursor", subject: wrap(next).rawValue)
        }
        return wrap(next)
    }
}
