import Cofferdam
import CofferdamContracts
import Testing

/// A port over one vendor's lines, whose cursors are offsets, as the app documents.
private struct Archive: Sendable {
    final class Server: Sendable {
        let lines = Mutex<[Int]>([])
    }

    struct BadCursor: Error {}

    let server: Server
    var page: @Sendable (ListQuery) async throws -> ListPage<Int>

    /// - Parameter prefix: a prefix that a careless adapter adds to its cursors, and requires.
    init(_ server: Server = Server(), prefix: String = "", forgives: Bool = false) {
        self.server = server
        page = { query in
            var start = 0
            if let cursor = query.cursor {
                if let offset = Int(cursor.dropFirst(prefix.count)), offset >= 0, cursor.hasPrefix(prefix) {
                    start = offset
                } else if !forgives {
                    throw BadCursor()
                }
            }
            return server.lines.withLock { lines in
                let items = Array(lines.dropFirst(start).prefix(max(1, min(query.limit, 50))))
                let end = start + items.count
                return ListPage(items: items, next: end < lines.count ? "\(prefix)\(end)" : nil)
            }
        }
    }
}

@Suite struct SharedCursorTests {
    private static func list(
        malformed: [String] = ["page two", "-1"],
        elsewhere: @escaping @Sendable (Archive) -> Archive = { Archive($0.server) }
    ) -> RuleSet<Archive> {
        ListOperation<Archive, Int>(
            call: PortCall(
                "lines",
                get: { $0.page },
                replace: { archive, perform in
                    var archive = archive
                    archive.page = perform
                    return archive
                }
            ),
            sharedCursors: SharedCursors(malformed: malformed, elsewhere: elsewhere),
            isInvalidCursor: { $0 is Archive.BadCursor },
            seed: { archive, count in
                archive.server.lines.withLock { $0 = Array(0..<count) }
                return Array(0..<count)
            },
            setQuirk: { _, _ in },
            expireCursors: { _ in },
            selection: ListSelection(
                call: PortCall("even lines", get: { _ in { _ in [] } }, replace: { archive, _ in archive }),
                arguments: [],
                selected: { _, all in all },
                arrived: { _ in [] }
            )
        ).requiring(harnessCapabilities: ["oddPaging"], in: ["LIST-03", "LIST-05"])
    }

    private let adapter = AdapterUnderTest(name: "archive") { Archive() }

    private func row(
        _ rule: RuleID,
        of list: RuleSet<Archive>,
        on adapter: AdapterUnderTest<Archive>? = nil
    ) async -> ContractReport.Row? {
        let rules = list.rules.filter { $0.id == rule }
        return await ContractRunner(rules: rules, adapters: [adapter ?? self.adapter]).run().rows.first
    }

    @Test func `offsets that every instance serves pass`() async {
        let rows = await ContractRunner(rules: Self.list().rules, adapters: [adapter]).run().rows
        #expect(rows.filter { $0.outcome == .failed }.map { "\($0.rule): \($0.detail ?? "")" } == [])
        let passed = Set(rows.filter { $0.outcome == .passed }.map(\.rule))
        #expect(passed.isSuperset(of: ["LIST-01", "LIST-06", "LIST-12"]))
    }

    @Test func `an adapter that accepts only its own cursors is caught`() async {
        let own = AdapterUnderTest(name: "own") { Archive(prefix: "own ") }
        let row = await row("LIST-12", of: Self.list(), on: own)
        #expect(row?.outcome == .failed)
        #expect(
            row?.detail?.contains("away and back: the walk did not finish") == true,
            "\(row?.detail ?? "")"
        )
    }

    @Test func `an adapter that starts over for another one's cursor is caught`() async {
        let forgiving = AdapterUnderTest(name: "forgiving") { Archive(prefix: "own ", forgives: true) }
        let row = await row(
            "LIST-12",
            of: Self.list { Archive($0.server, prefix: "other ", forgives: true) },
            on: forgiving
        )
        #expect(row?.outcome == .failed)
        #expect(row?.detail?.contains("duplicates") == true, "\(row?.detail ?? "")")
    }

    @Test func `a text that is not a cursor is still refused (LIST-06)`() async {
        let forgiving = AdapterUnderTest(name: "forgiving") { Archive(forgives: true) }
        #expect(await row("LIST-06", of: Self.list(), on: forgiving)?.outcome == .failed)
        let any = await row("LIST-06", of: Self.list(malformed: []), on: forgiving)
        #expect(any?.outcome == .skipped)
        #expect(any?.detail == "every text is a cursor of this list")
    }

    @Test func `a cursor that means the same in every selection is exempt from LIST-10`() async {
        let row = await row("LIST-10", of: Self.list())
        #expect(row?.detail?.contains("means the same, whatever is selected") == true, "\(row?.detail ?? "")")
    }

    @Test func `every mutant is killed`() async {
        let list = Self.list()
        let report = await MutationRunner(rules: list.rules, adapter: adapter).run(list.mutants)
        #expect(report.problems == [])
        #expect(report.rows.first { $0.rule == "LIST-12" }?.outcome == .killed)
    }
}
