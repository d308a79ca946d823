import SanctuaryDomain

/// The limits for walking a list.
public struct WalkLimits: Sendable, Hashable {
    /// The maximum number of items in a page.
    public var pageSize: Int
    /// The maximum number of items that the app holds.
    public var items: Int
    /// The maximum number of pages that the app reads, including empty ones.
    public var pages: Int

    public init(pageSize: Int = 50, items: Int = 100_000, pages: Int = 10_000) {
        self.pageSize = pageSize
        self.items = items
        self.pages = pages
    }
}

/// Returns all items of a list, reading page by page. It never returns a short list: it throws `tooLong` beyond the
/// limits, and `invalidCursor` if the vendor repeats a cursor.
func walk<Item: Sendable>(
    _ list: String,
    limits: WalkLimits,
    _ page: (PageRequest) async throws -> Page<Item>
) async throws -> [Item] {
    var items: [Item] = []
    var seen: Set<Cursor> = []
    var request = PageRequest(limit: limits.pageSize)
    for _ in 0..<max(0, limits.pages) {
        let answer = try await page(request)
        items += answer.items
        guard items.count <= limits.items else {
            throw FeatureError(.tooLong, "more than \(limits.items) items", subject: list)
        }
        guard let next = answer.next else { return items }
        guard seen.insert(next).inserted else {
            throw SanctuaryError(.invalidCursor, "the cursor came back a second time", subject: next.rawValue)
        }
        request.cursor = next
    }
    throw FeatureError(.tooLong, "more than \(limits.pages) pages", subject: list)
}
