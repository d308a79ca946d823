import Cofferdam
import CofferdamContracts
import Testing

/// A vendor's set of labels, read by scanning: a scan returns the labels that existed when it began, in a different
/// order each time.
private final class LabelServer: Sendable {
    struct Scan: Sendable {
        var selection: String?
        var left: [String]
    }

    struct State: Sendable {
        var labels: [String] = []
        var selectionsAsked: [String] = []
        var scans: [String: Scan] = [:]
        var count = 0
        var isFailing = false
    }

    enum Refusal: Error { case unknownScan, down }

    let state = Mutex(State())

    func add(_ count: Int) -> [String] {
        state.withLock { state in
            let first = state.labels.count
            let added = (first..<first + count).map { ($0.isMultiple(of: 3) ? "red " : "blue ") + "\($0)" }
            state.labels += added
            return added
        }
    }

    func scan(_ query: SelectedQuery) throws -> ListPage<String> {
        try state.withLock { state in
            if state.isFailing { throw Refusal.down }
            state.count += 1
            var scan: Scan
            if let cursor = query.page.cursor {
                guard let known = state.scans[cursor], known.selection == query.selection else {
                    throw Refusal.unknownScan
                }
                scan = known
            } else {
                let selected = state.labels.filter { $0.hasPrefix(query.selection ?? "") }
                let turn = selected.isEmpty ? 0 : state.count * 7 % selected.count
                scan = Scan(
                    selection: query.selection,
                    left: (selected.dropFirst(turn) + selected.prefix(turn)).reversed()
                )
            }
            let items = Array(scan.left.prefix(max(1, min(query.page.limit, 50))))
            scan.left.removeFirst(items.count)
            guard !scan.left.isEmpty else { return ListPage(items: items, next: nil) }
            let next = "scan \(state.count)"
            state.scans[next] = scan
            return ListPage(items: items, next: next)
        }
    }
}

private struct Labels: Sendable {
    let server = LabelServer()
    var page: @Sendable (SelectedQuery) async throws -> ListPage<String>
    var all: @Sendable (_ selection: String) async throws -> [String]

    init() {
        page = { [server] in try server.scan($0) }
        all = { [server] selection in
            server.state.withLock { $0.selectionsAsked.append(selection) }
            return try server.scan(SelectedQuery(selection, ListQuery(limit: 50))).items
        }
    }
}

@Suite struct UnorderedListTests {
    private static let pages = PortCall<Labels, SelectedQuery, ListPage<String>>(
        "labels",
        get: { $0.page },
        replace: { labels, perform in
            var labels = labels
            labels.page = perform
            return labels
        }
    )

    private static func list(isOrdered: Bool = false) -> RuleSet<Labels> {
        ListOperation<Labels, String>(
            call: PortCall(
                "labels",
                get: { labels in { try await labels.page(SelectedQuery(nil, $0)) } },
                replace: { labels, perform in
                    pages.replaced(in: labels) { clean, query in
                        query.selection == nil ? try await perform(query.page) : try await clean(query)
                    }
                }
            ),
            isOrdered: isOrdered,
            isInvalidCursor: { $0 as? LabelServer.Refusal == .unknownScan },
            seed: { labels, count in
                labels.server.state.withLock { $0.labels = [] }
                return labels.server.add(count)
            },
            setQuirk: { _, _ in },
            expireCursors: { $0.server.state.withLock { $0.scans = [:] } },
            setFailing: { labels, fails in labels.server.state.withLock { $0.isFailing = fails } },
            grow: { labels, count in _ = labels.server.add(count) },
            selection: ListSelection(
                call: PortCall(
                    "labels by color",
                    get: { $0.all },
                    replace: { labels, perform in
                        var labels = labels
                        labels.all = perform
                        return labels
                    }
                ),
                pages: pages,
                arguments: ["red", "blue"],
                selected: { color, all in all.filter { $0.hasPrefix(color) } },
                arrived: { $0.server.state.withLock { $0.selectionsAsked } }
            )
        ).requiring(harnessCapabilities: ["oddPaging"], in: ["LIST-03", "LIST-04", "LIST-05"])
    }

    private func adapter(
        _ change: @escaping @Sendable (inout Labels) -> Void = { _ in }
    ) -> AdapterUnderTest<Labels> {
        AdapterUnderTest(name: "labels", capabilities: ["vendorCursors", "listSelection"]) {
            var labels = Labels()
            change(&labels)
            return labels
        }
    }

    private func violations(
        of list: RuleSet<Labels>,
        on adapter: AdapterUnderTest<Labels>
    ) async -> [RuleID: String] {
        let rows = await ContractRunner(rules: list.rules, adapters: [adapter]).run().rows
        return Dictionary(
            uniqueKeysWithValues: rows.filter { $0.outcome == .failed }.map { ($0.rule, $0.detail ?? "") }
        )
    }

    @Test func `a list without an order passes whatever order it comes in`() async {
        #expect(await violations(of: Self.list(), on: adapter()) == [:])
    }

    @Test func `a list without an order fails if an order is required`() async {
        let found = await violations(of: Self.list(isOrdered: true), on: adapter())
        #expect(found["LIST-01"]?.contains("in another order") == true, "\(found)")
        #expect(Set(found.keys).isSuperset(of: ["LIST-01", "LIST-08", "LIST-09", "LIST-10", "LIST-11"]))
    }

    /// As some vendors' scans do.
    @Test func `a scan that returns a label twice is caught`() async {
        let last = adapter { labels in
            let before = Mutex<String?>(nil)
            labels.page = { [clean = labels.page] query in
                var page = try await clean(query)
                if query.page.cursor != nil, let last = before.withLock({ $0 }) { page.items.append(last) }
                before.withLock { $0 = page.items.last }
                return page
            }
        }
        let found = await violations(of: Self.list(), on: last)
        #expect(found["LIST-01"]?.contains("expected 11 items, got 12, 1 duplicates") == true, "\(found)")
        #expect(Set(found.keys).isSuperset(of: ["LIST-01", "LIST-11"]))
    }

    @Test func `a scan that omits a label is caught`() async {
        let found = await violations(
            of: Self.list(),
            on: adapter { labels in
                labels.page = { [clean = labels.page] query in
                    var page = try await clean(query)
                    page.items.removeAll { $0 == "blue 7" }
                    return page
                }
            }
        )
        #expect(found["LIST-01"]?.contains("1 missing, such as blue 7") == true, "\(found)")
    }

    @Test func `every mutant is killed even without an order`() async {
        let list = Self.list()
        // Some mutants change a page in which only the order is random.
        let report = await MutationRunner(rules: list.rules, adapter: adapter()).run(list.mutants)
        #expect(report.problems == [])
        #expect(report.rows.count { $0.outcome == .killed } > 10)
    }
}
