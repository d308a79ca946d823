import Cofferdam
import CofferdamUpgrade
import Testing

/// A list whose cursors only the side that made them understands.
private struct Shelf: Sendable {
    struct Page: Sendable, Equatable {
        var items: [Int]
        var next: String?
    }

    var name: String

    func page(_ cursor: String?) throws -> Page {
        guard let cursor else { return Page(items: [1], next: "\(name)-2") }
        guard cursor == "\(name)-2" else { throw ZooError(meaning: .answer, kind: "invalidCursor \(cursor)") }
        return Page(items: [2], next: nil)
    }
}

private struct Request: Sendable {
    var cursor: String?
}

@Suite struct WalkTests {
    private let control = StageControl()
    private let comparisons = Log<ComparisonOutcome>()
    private let lane = ShadowLane()

    private struct Observer: RouteObserver {
        let verdicts: Log<ComparisonOutcome>
        func called(_ call: RoutedCall) {}
        func compared(_ comparison: ShadowComparison) { verdicts.add(comparison.outcome) }
    }

    private func walker() throws -> (UnitSession, (String?) async throws -> Shelf.Page) {
        let router = Router<Shelf>(legacy: { Shelf(name: "old") }, candidate: { Shelf(name: "new") })
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "shelf"))
        let settings = RouteSettings(
            capability: "shelf",
            failures: ZooError.reading,
            lane: lane,
            observer: Observer(verdicts: comparisons)
        )
        let route = router.route(for: session, settings: settings) { $0 }
        let carrying = CarriedSide<Request, Shelf.Page>(cursor: \.cursor, next: \.next) {
            ZooError(meaning: .answer, kind: "gone \($0)")
        }
        let walk: (String?) async throws -> Shelf.Page = { cursor in
            try await route.walk(
                "page",
                Request(cursor: cursor),
                carrying: carrying,
                comparing: Comparator().field("items", \.items)
            ) { shelf, request in
                try shelf.page(request.cursor)
            }
        }
        return (session, walk)
    }

    @Test func `a walk ends on the side where it began, though the unit has crossed over`() async throws {
        let (session, page) = try walker()
        let first = try await page(nil)
        #expect(first == Shelf.Page(items: [1], next: "legacy:old-2"))
        try control.move(to: .candidateWithFallback)
        session.settle()
        #expect(try await page(first.next) == Shelf.Page(items: [2], next: nil))
        #expect(try await page(nil).next == "candidate:new-2")
    }

    @Test func `a cursor of a side that is closed is refused, never page one`() async throws {
        let (session, page) = try walker()
        let first = try await page(nil)
        try control.move(to: .candidateOnly)
        session.settle()
        await #expect(throws: ZooError(meaning: .answer, kind: "gone legacy:old-2")) { _ = try await page(first.next) }
    }

    @Test func `a unit that has not crossed over yet ends its walk where it is`() async throws {
        let (_, page) = try walker()
        let first = try await page(nil)
        try control.move(to: .candidateOnly)
        #expect(try await page(first.next) == Shelf.Page(items: [2], next: nil))
    }

    @Test(arguments: ["nonsense", "", "candidate", "legacy"])
    func `a cursor that no router has given out goes to the side that answers as it is`(cursor: String) async throws {
        let (_, page) = try walker()
        await #expect(throws: ZooError(meaning: .answer, kind: "invalidCursor \(cursor)")) {
            _ = try await page(cursor)
        }
    }

    @Test func `only first pages are compared, and without their cursors' sides`() async throws {
        try control.move(to: .shadow(sample: .all))
        let (_, page) = try walker()
        let first = try await page(nil)
        _ = try await page(first.next)
        await lane.drained()
        #expect(comparisons.entries == [.match])
    }

    @Test func `no fallback in the middle of a walk`() async throws {
        try control.move(to: .candidateWithFallback)
        let (_, page) = try walker()
        await #expect(throws: ZooError.self) { _ = try await page("candidate:unknown") }
    }
}
