import Cofferdam
import CofferdamSupport
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct PaginatedLoadableTests {
    /// Pages -5...5, whose loads wait until the test ends them.
    private final class Shop: Sendable {
        let loads = Log<Int>()
        let waiting = Mutex<[Int: @Sendable (Result<String, any Error>) -> Void]>([:])

        func load(_ page: Int) async throws -> String {
            try await vendorCall { complete in
                waiting.withLock { $0[page] = complete }
                loads.add(page)
                return VendorCancellation {}
            }
        }

        func end(_ page: Int, _ result: Result<String, any Error>? = nil) async {
            await until { self.waiting.withLock { $0[page] != nil } }
            let complete = waiting.withLock { $0.removeValue(forKey: page) }
            complete?(result ?? .success("page \(page)"))
        }
    }

    private func pages(
        _ shop: Shop,
        maximum: Int? = nil,
        retry: LoadRetry = .never,
        executor: (any TaskExecutor)? = nil
    ) -> PaginatedLoadable<Int, String> {
        PaginatedLoadable(
            startingAt: 0,
            maximumPages: maximum,
            retry: retry,
            executor: executor,
            cursor: { direction, entry in
                let cursor = entry.cursor + (direction == .next ? 1 : -1)
                return (-5...5).contains(cursor) ? cursor : nil
            },
            load: { try await shop.load($0) }
        )
    }

    private func add(_ page: Int, _ direction: PageDirection, to pages: PaginatedLoadable<Int, String>, _ shop: Shop)
        async
    {
        let task = Task { try await direction == .next ? pages.fetchNext() : pages.fetchPrevious() }
        await shop.end(page)
        #expect(await (try? task.value) == "page \(page)")
    }

    private func cursors(_ pages: PaginatedLoadable<Int, String>) -> [Int]? {
        pages.contents.snapshot.contents?.entries.map(\.cursor)
    }

    @Test func `pages are added at both ends, until there are none`() async {
        let shop = Shop()
        let pages = pages(shop)
        #expect(pages.hasPage(.next) == nil)
        for page in 0...5 { await add(page, .next, to: pages, shop) }
        for page in [-1, -2, -3, -4, -5] { await add(page, .previous, to: pages, shop) }
        #expect(cursors(pages) == Array(-5...5))
        #expect(pages.hasPage(.next) == false && pages.hasPage(.previous) == false)
        for direction in PageDirection.allCases {
            let error = await #expect(throws: LoadableError.self) {
                try await direction == .next ? pages.fetchNext() : pages.fetchPrevious()
            }
            #expect(error?.code == .noSuchPage)
        }
        #expect(pages.contents.snapshot.state == .succeeded)
    }

    @Test func `one page too many is dropped at the other end`() async {
        let shop = Shop()
        let pages = pages(shop, maximum: 3)
        for page in 0...4 { await add(page, .next, to: pages, shop) }
        #expect(cursors(pages) == [2, 3, 4])
        #expect(pages.hasPage(.previous) == true)
        for page in [1, 0] { await add(page, .previous, to: pages, shop) }
        #expect(cursors(pages) == [0, 1, 2])
    }

    @Test func `however many ask for the next page, one is loaded`() async throws {
        let shop = Shop()
        let pages = pages(shop)
        await add(0, .next, to: pages, shop)
        let tasks = (0..<5).map { _ in Task { try await pages.fetchNext() } }
        await until { pages.next.snapshot.state == .syncing }
        for _ in 0..<500 { await Task.yield() }
        await shop.end(1)
        for task in tasks { #expect(try await task.value == "page 1") }
        #expect(shop.loads.entries == [0, 1])
    }

    @Test func `fetching all loads the existing pages again, one after the other`() async throws {
        let shop = Shop()
        let pages = pages(shop)
        for page in 0...2 { await add(page, .next, to: pages, shop) }
        let task = Task { try await pages.contents.fetch() }
        for page in 0...2 {
            await until { shop.loads.entries.count == 4 + page }
            #expect(pages.contents.snapshot.contents?.pages.first == "page 0")
            await shop.end(page, .success("new \(page)"))
        }
        #expect(try await task.value.pages == ["new 0", "new 1", "new 2"])
        #expect(shop.loads.entries == [0, 1, 2, 0, 1, 2])
    }

    @Test func `a page that fails leaves the others, and its direction has the error`() async throws {
        let shop = Shop()
        let pages = pages(shop)
        await add(0, .next, to: pages, shop)
        let task = Task { try await pages.fetchNext() }
        await shop.end(1, .failure(TestError("lost")))
        await #expect(throws: TestError("lost")) { try await task.value }
        #expect(pages.next.snapshot.state == .failed)
        #expect(pages.contents.snapshot.state == .succeeded)
        #expect(cursors(pages) == [0])
        await add(1, .next, to: pages, shop)
        #expect(cursors(pages) == [0, 1])
    }

    @Test func `adding a page and loading all again take turns, and nothing is lost`() async throws {
        let shop = Shop()
        let pages = pages(shop)
        await add(0, .next, to: pages, shop)
        let adding = Task { try await pages.fetchNext() }
        await until { shop.loads.entries == [0, 1] }
        let loading = Task { try await pages.contents.fetch() }
        await until { pages.contents.snapshot.state == .syncing }
        for _ in 0..<500 { await Task.yield() }
        #expect(shop.loads.entries == [0, 1])
        await shop.end(1)
        _ = try await adding.value
        for page in 0...1 { await shop.end(page, .success("new \(page)")) }
        #expect(try await loading.value.pages == ["new 0", "new 1"])
        #expect(pages.contents.snapshot.contents?.pages == ["new 0", "new 1"])
    }

    @Test func `a cancelled load of all stops between two pages, and keeps the old ones`() async {
        let shop = Shop()
        let pages = pages(shop)
        for page in 0...2 { await add(page, .next, to: pages, shop) }
        let task = Task { try await pages.contents.fetch() }
        await until { shop.loads.entries.count == 4 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for _ in 0..<500 { await Task.yield() }
        #expect(shop.loads.entries == [0, 1, 2, 0])
        #expect(pages.contents.snapshot.contents?.pages == ["page 0", "page 1", "page 2"])
        #expect(pages.contents.snapshot.state == .succeeded)
    }

    @Test(.timeLimit(.minutes(1)))
    func `the next page that is asked for before a reset is the first one after it`() async throws {
        let shop = Shop()
        let pages = pages(shop)
        for page in 0...1 { await add(page, .next, to: pages, shop) }
        let reload = Task { try await pages.contents.fetch() }
        await until { shop.loads.entries == [0, 1, 0] }
        let next = Task { try await pages.fetchNext() }
        await until { pages.next.snapshot.state == .syncing }
        for _ in 0..<500 { await Task.yield() }
        pages.contents.reset()
        await shop.end(0)
        _ = try? await reload.value
        await until { shop.loads.entries == [0, 1, 0, 0] }
        await shop.end(0, .success("new 0"))
        #expect(try await next.value == "new 0")
        #expect(pages.contents.snapshot.contents?.pages == ["new 0"])
    }

    @Test func `a reload that fails at a page and is retried asks for that page again`() async throws {
        let shop = Shop()
        let pages = pages(shop, retry: LoadRetry(maximumAttempts: 2, backoff: Backoff(initial: .zero)))
        for page in 0...2 { await add(page, .next, to: pages, shop) }
        for isFinal in [false, true] {
            let before = shop.loads.entries.count
            let task = Task { try await pages.contents.fetch() }
            for page in 0...1 { await shop.end(page, .success("new \(page)")) }
            await shop.end(2, .failure(TestError("lost")))
            await shop.end(2, isFinal ? .failure(TestError("lost")) : .success("new 2"))
            #expect(await (try? task.value.pages) == (isFinal ? nil : ["new 0", "new 1", "new 2"]))
            #expect(Array(shop.loads.entries.dropFirst(before)) == [0, 1, 2, 2], "the next run begins anew")
        }
    }

    @Test func `a change during the load of the next page survives`() async {
        let shop = Shop()
        let pages = pages(shop)
        await add(0, .next, to: pages, shop)
        let adding = Task { try await pages.fetchNext() }
        await until { shop.loads.entries == [0, 1] }
        pages.contents.correct { $0.mapPages { "\($0), read" } }
        let write = pages.contents.writeOptimistically { ($0 ?? Pages()).mapPages { "\($0)…" } }
        await shop.end(1)
        _ = try? await adding.value
        #expect(pages.contents.snapshot.contents?.pages == ["page 0, read…", "page 1…"])
        write.rollBack()
        #expect(pages.contents.snapshot.contents?.pages == ["page 0, read", "page 1"])
    }

    @Test(arguments: Soak.seeds)
    func `a page that is asked for during a reload is part of what is shown, in any schedule`(block: UInt64) async {
        let wrong = await onOwnThread { () -> String? in
            for seed in block * 300..<(block + 1) * 300 {
                if let wrong = Self.wrong(seed) { return "\(wrong), with the seed \(seed)" }
            }
            return nil
        }
        #expect(wrong == nil)
    }

    /// A reload and a next page at the same time; each reload is a new version of all pages.
    private static func wrong(_ seed: UInt64) -> String? {
        var random = SplitMix64(seed: seed)
        let executor = ManualExecutor()
        let version = Mutex(0)
        let pages = PaginatedLoadable<Int, String>(
            startingAt: 0,
            executor: executor,
            cursor: { direction, entry in direction == .next && entry.cursor < 5 ? entry.cursor + 1 : nil },
            load: { cursor in
                await Task.yield()
                return version.withLock { version in
                    if cursor == 0 { version += 1 }
                    return "v\(version) page \(cursor)"
                }
            }
        )
        _ = executor.task { _ = try? await pages.fetchNext() }
        executor.drain()
        let got = Log<String>()
        for call in 0..<Int.random(in: 2...4, using: &random) {
            _ = executor.task {
                if call % 2 == 0 {
                    _ = try? await pages.contents.fetch()
                } else {
                    if let page = try? await pages.fetchNext() { got.add(page) }
                }
            }
        }
        while executor.count > 0 { executor.run(Int.random(in: 0..<executor.count, using: &random)) }
        let shown = pages.contents.snapshot.contents?.pages ?? []
        let versions = Set(shown.map { $0.prefix(2) })
        if versions.count > 1 { return "two versions are shown: \(shown)" }
        // A reload loads as many pages as there were, so what was got is shown, or its place is.
        let lost = got.entries.first { page in !shown.contains { $0.hasSuffix(page.dropFirst(2)) } }
        return lost.map { "got \($0), shown \(shown)" }
    }
}
