import Cofferdam
import CofferdamUpgrade
import Testing

@testable import CofferdamContracts
@testable import CofferdamTool
@testable import mytool

/// Checks the differences that appear when the calls of a tape are made on another adapter.
struct TapeComparisonTests {
    private static let quiet = ToolProgress { _ in }

    /// Records an adapter of the books, and makes the calls on another one.
    private func report(
        knowing known: [KnownDrift] = [],
        on change: (inout ShelfDouble) -> Void = { _ in },
        of tape: (inout Tape) -> Void = { _ in }
    ) async throws -> DriftReport {
        var candidate = ShelfDouble("v2")
        change(&candidate)
        let runner = TapeRunner(
            .shelves(knowing: known),
            adapters: [ShelfDouble("v1").adapter, candidate.adapter]
        )
        var recorded = try await runner.record("v1", nil, Self.quiet)
        tape(&recorded)
        return try await runner.compare(recorded, "v2", Self.quiet)
    }

    private func lines(_ report: DriftReport) -> [String] {
        report.drifts.map { drift in
            let values = [drift.legacy, drift.candidate].map { $0 ?? "nothing" }.joined(separator: " → ")
            return "\(drift.tier) \(drift.call) (\(drift.subject)) \(drift.path): \(values)"
        }
    }

    @Test func `pages are walked with the adapter's own cursors, which are not a difference`() async throws {
        let report = try await report()
        #expect(lines(report) == [])
        #expect(report.isGreen)
        #expect(report.calls.map { "\($0.name) \($0.compared)" } == ["book 3", "books 4"])
        #expect(report.legacy == "v1" && report.candidate == "v2")
    }

    @Test func `fields, elements by their ids, and their order`() async throws {
        let changed = try await report {
            $0.books[0].title = "emma"
            $0.books[1].pages = 412
            $0.books.swapAt(0, 1)
        }
        #expect(
            lines(changed) == [
                #"warn book (id: 1) result.title: "Emma" → "emma""#,
                "error book (id: 2) result.pages: nothing → 412",
                #"warn books (limit: 2, 1) result.items[*].title: "Emma" → "emma""#,
                "error books (limit: 2, 2) result.items[*].pages: nothing → 412",
                #"warn books (limit: 2) result.items.(order): ["1","2"] → ["2","1"]"#,
                #"warn books (limit: 3, 1) result.items[*].title: "Emma" → "emma""#,
                "error books (limit: 3, 2) result.items[*].pages: nothing → 412",
                #"warn books (limit: 3) result.items.(order): ["1","2","3"] → ["2","1","3"]"#,
            ]
        )
    }

    @Test func `an element that only one adapter has, and pages that one does not reach`() async throws {
        let shorter = try await report { $0.books.removeLast(2) }
        #expect(
            lines(shorter).filter { $0.hasPrefix("error books (") || $0.contains("(call)") } == [
                #"error books (limit: 2) result.next: "(a cursor)" → nothing"#,
                "warn books (cursor: v1-2-2, limit: 2) (call): an answer → not called: no described call has these arguments, and no page before it leads to them",
                #"error books (limit: 3, 3) result.items[*]: {"id":"3","pages":730,"title":"Ulysses"} → nothing"#,
                #"error books (limit: 3) result.next: "(a cursor)" → nothing"#,
                "warn books (cursor: v1-3-3, limit: 3) (call): an answer → not called: no described call has these arguments, and no page before it leads to them",
            ]
        )
    }

    @Test func `an error in place of an answer, and another error`() async throws {
        let failing = try await report { $0.failure = ShelfError(code: .unreachable) }
        #expect(lines(failing).first == #"warn book (id: 1) (call): an answer → ShelfError: {"code":"unreachable"}"#)
        #expect(lines(failing).contains(#"warn book (id: none) error.record.code: "noSuchBook" → "unreachable""#))
        #expect(!failing.isGreen)
        let answering = try await report { $0.books.append(Book(id: "none", title: "No Name", pages: 1)) }
        #expect(
            lines(answering).contains(#"warn book (id: none) (call): ShelfError: {"code":"noSuchBook"} → an answer"#)
        )
    }

    @Test func `declared differences are info under their id, and others are not`() async throws {
        let known = KnownDrift(
            id: "D7",
            call: "books",
            path: "result.items[*].title",
            reason: "lower case",
            legacy: ["\"Emma\""]
        )
        let report = try await report(knowing: [known]) { $0.books[0].title = "emma" }
        #expect(report.drifts.map(\.id) == [nil, "D7", "D7"])
        #expect(report.count(of: .info) == 2 && !report.isGreen)
        #expect(try await self.report(knowing: [known], on: { $0.books[2].title = "ulysses" }).count(of: .info) == 0)
    }

    @Test func `a call that cannot be made does not agree`() async throws {
        let why: [(TapeEntry, String)] = [
            (entry("book", .write), "it changes something, and the adapters are not described as isolated"),
            (entry("book", items: []), "it is a stream"),
            (entry("book", outcome: .cancelled), "it was cancelled"),
            (entry("book", arguments: ["id": .text("9")]), "no described call has these arguments"),
            (entry("other"), "it is not described"),
        ]
        let report = try await report(of: { $0.entries = why.map(\.0) })
        #expect(report.drifts.map(\.candidate) == why.map { "not called: \($0.1)" })
        #expect(!report.isGreen)
    }

    @Test func `writes and calls that are not recorded are never made`() async throws {
        func record(_ call: TapedCall<any Shelf>) async throws -> Tape {
            try await TapeRunner(TapeTooling(calls: [call]), adapters: [ShelfDouble("v1").adapter])
                .record("v1", nil, Self.quiet)
        }
        let put = TapedCall(ShelfOperations.put, on: { (shelf: any Shelf) in shelf }, calls: [ShelfContract.seed[0]])
        await #expect(
            throws: TapeError(
                .unrecordable,
                "it changes something, and the adapters are not described as isolated",
                subject: "put"
            )
        ) {
            _ = try await record(put)
        }
        let unrecorded = TapedCall(ShelfOperations.unrecorded, on: { (shelf: any Shelf) in shelf }, calls: ["1"])
        await #expect(
            throws: TapeError(.unrecordable, "its table does not say how it is recorded", subject: "unrecorded")
        ) {
            _ = try await record(unrecorded)
        }
    }

    @Test func `an endless list is not recorded`() async throws {
        var endless = ShelfDouble("v1")
        endless.isEndless = true
        let runner = TapeRunner(.shelves(), adapters: [endless.adapter])
        await #expect(throws: TapeError(.unrecordable, "its pages never end: 2 were read", subject: "books")) {
            _ = try await runner.record("v1", nil, Self.quiet)
        }
    }

    private func entry(
        _ operation: String,
        _ kind: TapeCallKind = .read,
        arguments: [String: TapeValue] = ["id": .text("1")],
        items: [TapeItem]? = nil,
        outcome: TapeOutcome = .returned(.null)
    ) -> TapeEntry {
        TapeEntry(
            operation: operation,
            kind: kind,
            arguments: .object(arguments),
            start: 0,
            took: 0,
            items: items,
            outcome: outcome
        )
    }
}
