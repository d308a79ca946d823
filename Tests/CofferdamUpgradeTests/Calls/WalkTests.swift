import Cofferdam
import CofferdamUpgrade
import Testing
import TestSupport

/// A list whose cursors only work on the side that made them.
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

/// A list whose cursors are offsets, which work on both sides.
private struct OffsetShelf: Sendable {
    let name: String
    let asked: Log<String>
    let isDown: @Sendable () -> Bool

    func page(_ cursor: String?) throws -> Shelf.Page {
        asked.add(name)
        if isDown() { throw ZooError(meaning: .failed) }
        let start = cursor.flatMap { Int($0) } ?? 0
        return Shelf.Page(items: [start + 1], next: start == 0 ? "1" : nil)
    }
}

private struct Request: Sendable {
    var cursor: String?
}

extension Paging<Request, Shelf.Page> {
    fileprivate static func walks(_ invalid: @escaping @Sendable (String) -> any Error) -> Self {
        Paging(cursor: \.cursor, next: \.next) {
            $0.cursor = $1
        } setNext: {
            $0.next = $1
        } invalid: {
            invalid($0)
        }
    }
}

@Suite struct WalkTests {
    private let control = StageControl()
    private let comparisons = Log<ComparisonOutcome>()
    private let shadowQueue = ShadowQueue()

    private struct Observer: RouteObserver {
        let verdicts: Log<ComparisonOutcome>
        func called(_ call: RoutedCall) {}
        func compared(_ comparison: ShadowComparison) { verdicts.add(comparison.outcome) }
    }

    private static let page = PortOperation<Shelf, Request, Shelf.Page>("page", .read) { try $0.page($1.cursor) }
        .paged(by: .walks { ZooError(meaning: .answer, kind: "gone \($0)") })
        .compared(by: Comparator().field("items", \.items))

    private func walker() throws -> (UnitSession, (String?) async throws -> Shelf.Page) {
        let router = Router<Shelf>(legacy: { Shelf(name: "old") }, candidate: { Shelf(name: "new") })
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "shelf"))
        let settings = RouteSettings(
            capability: "shelf",
            failures: ZooError.reading,
            shadowQueue: shadowQueue,
            observer: Observer(verdicts: comparisons)
        )
        let port = Intercepted<Shelf>(source: router.route(for: session, settings: settings) { $0 })
        return (session, { try await port.call(Self.page, Request(cursor: $0)) })
    }

    @Test func `a walk ends on the side where it began, though the unit has crossed over`() async throws {
        let (session, page) = try walker()
        let first = try await page(nil)
        #expect(first == Shelf.Page(items: [1], next: "old-2"), "the legacy side's stay as they are")
        try control.move(to: .candidateWithFallback)
        session.cutOver()
        #expect(try await page(first.next) == Shelf.Page(items: [2], next: nil))
        #expect(try await page(nil).next == "candidate:new-2")
    }

    @Test func `a cursor of a side that is closed is refused, never page one`() async throws {
        let (session, page) = try walker()
        let first = try await page(nil)
        try control.move(to: .candidateOnly)
        session.cutOver()
        await #expect(throws: ZooError(meaning: .answer, kind: "gone old-2")) { _ = try await page(first.next) }
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
        await shadowQueue.drained()
        #expect(comparisons.entries == [.match])
    }

    @Test func `no fallback in the middle of a walk`() async throws {
        try control.move(to: .candidateWithFallback)
        let (_, page) = try walker()
        await #expect(throws: ZooError.self) { _ = try await page("candidate:unknown") }
    }

    /// The cursors of both sides are the same offsets, so the table declares no affinity and a page is a read like any
    /// other.
    @Test func `where both sides serve the same cursors, a page in the middle of a walk falls back`() async throws {
        let page = PortOperation<OffsetShelf, Request, Shelf.Page>("page", .read) { try $0.page($1.cursor) }
        let asked = Log<String>()
        let isDown = Mutex(false)
        let router = Router<OffsetShelf>(
            legacy: { OffsetShelf(name: "old", asked: asked) { false } },
            candidate: { OffsetShelf(name: "new", asked: asked) { isDown.withLock { $0 } } }
        )
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "shelf"))
        let settings = RouteSettings(capability: "shelf", failures: ZooError.reading)
        let port = Intercepted<OffsetShelf>(source: router.route(for: session, settings: settings) { $0 })
        try control.move(to: .candidateWithFallback)
        session.cutOver()
        let first = try await port.call(page, Request())
        #expect(first == Shelf.Page(items: [1], next: "1"), "an offset, and no side's mark")
        isDown.withLock { $0 = true }
        #expect(try await port.call(page, Request(cursor: first.next)) == Shelf.Page(items: [2], next: nil))
        #expect(asked.entries == ["new", "new", "old"])
    }

    @Test func `a cursor that was kept from before the upgrade goes to the legacy side, or is refused`() async throws {
        let (session, page) = try walker()
        try control.move(to: .candidateWithFallback)
        session.cutOver()
        #expect(try await page("old-2") == Shelf.Page(items: [2], next: nil))
        try control.move(to: .candidateOnly)
        session.cutOver()
        await #expect(throws: ZooError(meaning: .answer, kind: "gone old-2")) { _ = try await page("old-2") }
    }

    @Test(arguments: ["nonsense", ""])
    func `a cursor of neither side is invalid, also where the other side is called with it`(cursor: String)
        async throws
    {
        try control.move(to: .candidateWithFallback)
        let (session, page) = try walker()
        session.cutOver()
        await #expect(throws: ZooError(meaning: .answer, kind: "gone \(cursor)")) { _ = try await page(cursor) }
    }

    @Test(arguments: [true, false])
    func `a user's walk goes on where it began only while that user is signed in there`(isSameUser: Bool) async throws {
        let router = Router<Shelf>(legacy: { Shelf(name: "old") }, candidate: { Shelf(name: "new") })
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "shelf"))
        let settings = RouteSettings(capability: "shelf", failures: ZooError.reading, isSameUser: { isSameUser })
        let port = Intercepted<Shelf>(source: router.route(for: session, settings: settings) { $0 })
        let page = Self.page.ofUser()
        let first = try await port.call(page, Request())
        try control.move(to: .candidateWithFallback)
        session.cutOver()
        if isSameUser {
            #expect(try await port.call(page, Request(cursor: first.next)).items == [2])
        } else {
            await #expect(throws: ZooError(meaning: .answer, kind: "gone old-2")) {
                _ = try await port.call(page, Request(cursor: first.next))
            }
        }
    }

    @Test(arguments: ["candidate:1", "legacy:1", "candidate:", "legacy:legacy:"])
    func `a legacy cursor that looks marked comes back to its side unchanged`(cursor: String) async throws {
        let asked = Log<String?>()
        let operation = PortOperation<Int, Request, Shelf.Page>("page", .read) { _, request in
            asked.add(request.cursor)
            return Shelf.Page(items: [], next: cursor)
        }
        .paged(by: .walks { ZooError(meaning: .answer, kind: "gone \($0)") })
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "shelf"))
        let settings = RouteSettings(capability: "shelf", failures: ZooError.reading)
        let router = Router<Int>(legacy: { 1 }, candidate: { 2 })
        let port = Intercepted<Int>(source: router.route(for: session, settings: settings) { $0 })
        var next: String?
        // More than the first calls, which are timed.
        for _ in 0..<20 { next = try await port.call(operation, Request(cursor: next)).next }
        #expect(asked.entries == [nil] + Array(repeating: cursor, count: 19))
    }

    @Test func `the candidate's cursors are marked, however many calls came before`() async throws {
        try control.move(to: .candidateOnly)
        let (_, page) = try walker()
        for _ in 0..<20 {
            let first = try await page(nil)
            #expect(first.next == "candidate:new-2")
            #expect(try await page(first.next) == Shelf.Page(items: [2], next: nil))
        }
    }
}
