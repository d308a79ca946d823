/// Follows a list's cursors from the start, or from a cursor, in a bounded number of calls.
struct Walk<Item: Sendable & Hashable>: Sendable {
    var items: [Item] = []
    private(set) var calls = 0
    private(set) var end = End.tooLong

    enum End: Sendable {
        /// A page without a cursor.
        case lastPage
        case failed(any Error)
        /// The calls were used up.
        case tooLong
    }

    /// - Parameter bound: the maximum number of calls.
    init(
        _ fetch: (ListQuery) async throws -> ListPage<Item>,
        from cursor: String? = nil,
        limit: Int,
        atMost bound: Int
    ) async {
        var query = ListQuery(cursor: cursor, limit: limit)
        while calls < bound {
            calls += 1
            do {
                let page = try await fetch(query)
                items += page.items
                guard let next = page.next else {
                    end = .lastPage
                    return
                }
                query.cursor = next
            } catch {
                end = .failed(error)
                return
            }
        }
    }

    var didEnd: Bool { if case .lastPage = end { true } else { false } }
}

extension Findings {
    /// Adds a violation unless the walk came to its end and returned exactly these items, in this order or in any.
    mutating func expect<Item>(
        _ walk: Walk<Item>,
        gives expected: [Item],
        inOrder: Bool = true,
        _ what: String
    ) {
        expect(walk.didEnd, "\(what): the walk did not finish: \(walk.end), after \(walk.calls) calls")
        expect(walk.items, are: expected, inOrder: inOrder, what)
    }

    /// Adds a violation unless there are exactly these items, in this order or in any.
    mutating func expect<Item: Hashable>(
        _ items: [Item],
        are expected: [Item],
        inOrder: Bool = true,
        _ what: String
    ) {
        let areThese = inOrder ? items == expected : Self.counts(of: items) == Self.counts(of: expected)
        if !areThese { add("\(what): \(Self.difference(items, expected))") }
    }

    private static func counts<Item: Hashable>(of items: [Item]) -> [Item: Int] {
        Dictionary(items.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private static func difference<Item: Hashable>(_ actual: [Item], _ expected: [Item]) -> String {
        let missing = expected.filter { !Set(actual).contains($0) }
        let surplus = actual.filter { !Set(expected).contains($0) }
        let twice = actual.count - Set(actual).count
        var parts = ["expected \(expected.count) items, got \(actual.count)"]
        if let first = missing.first { parts.append("\(missing.count) missing, such as \(first)") }
        if let first = surplus.first { parts.append("\(surplus.count) unexpected, such as \(first)") }
        if twice > 0 { parts.append("\(twice) duplicates") }
        if parts.count == 1, actual.count == expected.count { parts.append("in another order") }
        return parts.joined(separator: ", ")
    }
}
