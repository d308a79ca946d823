import SanctuaryDomain

/// How far the app walks a list before it gives up.
public struct WalkLimits: Sendable, Hashable {
    /// How many items each page may have.
    public var pageSize: Int
    /// How many items the app holds at the most.
    public var items: Int
    /// How many pages it reads at the most: empty ones count too.
    public var pages: Int

    public init(pageSize: Int = 50, items: Int = 100_000, pages: Int = 10_000) {
        self.pageSize = pageSize
        self.items = items
        self.pages = pages
    }
}

/// All items of a list, page by page. Never a short list: beyond the limits it throws `tooLong`, and `invalidCursor` where
/// a cursor comes back that was there before.
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
