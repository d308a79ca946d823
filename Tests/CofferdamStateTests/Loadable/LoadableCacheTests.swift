import Cofferdam
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

@Suite struct LoadableCacheTests {
    @Test func `a key gives every caller the same instance, one for each type of contents`() {
        let cache = LoadableCache()
        let first = cache.loadable(["animals", 7]) { Loadable.just(1) }
        #expect(cache.loadable(["animals", 7]) { Loadable.just(2) } === first)
        #expect(cache.existing(["animals", 7], of: Int.self) === first)
        #expect(cache.existing(["animals", 8], of: Int.self) == nil)
        #expect(cache.loadable(["animals", 7]) { Loadable.just("text") }.snapshot.contents == "text")
        // A number and its text are different keys.
        #expect(cache.loadable(["animals", "7"]) { Loadable.just(3) } !== first)
    }

    @Test(
        arguments: [
            ([], ["animals", "animals/7", "animals/7/photos", "orders"]),
            (["animals"], ["animals", "animals/7", "animals/7/photos"]),
            (["animals", 7], ["animals/7", "animals/7/photos"]), (["animal"], []), (["animals", 7, "photos", 1], []),
        ] as [(LoadableKey, Set<String>)]
    )
    func `a key covers itself and the keys below it`(key: LoadableKey, expected: Set<String>) {
        let cache = LoadableCache()
        let all: [LoadableKey] = [["animals"], ["animals", 7], ["animals", 7, "photos"], ["orders"]]
        let loadables = all.map { key in cache.loadable(key) { Loadable.just(0) } }
        #expect(Set(cache.keys(under: key).map(\.description)) == expected)
        cache.invalidate(under: key)
        #expect(zip(all, loadables).allSatisfy { $1.needsSync == expected.contains($0.description) })
        cache.reset(under: key)
        #expect(zip(all, loadables).allSatisfy { ($1.snapshot.contents == nil) == expected.contains($0.description) })
        cache.remove(under: key)
        #expect(cache.keys().count == all.count - expected.count)
    }

    @Test func `unused loadables are removed after the limit, used ones are not`() async {
        let clock = TestClock()
        let cache = LoadableCache(keepingUnusedFor: .seconds(10), clock: clock)
        weak var unused: Loadable<Int>?
        unused = cache.loadable(["unused"]) { Loadable.just(1) }
        let used = cache.loadable(["used"]) { Loadable.just(2) }
        let token = used.observe { _ in }
        let syncing = LoadableDouble<Int>()
        let task = Task { try await cache.loadable(["syncing"]) { syncing.loadable }.fetch() }
        await until { syncing.waitingRunCount == 1 }
        cache.collect()
        clock.advance(by: .seconds(10) - .nanoseconds(1))
        cache.collect()
        #expect(unused != nil)
        clock.advance(by: .nanoseconds(1))
        cache.collect()
        await until { unused == nil }
        #expect(cache.keptCount == 2)
        token.cancel()
        cache.collect()
        clock.advance(by: .seconds(10))
        cache.collect()
        #expect(cache.keptCount == 1)
        task.cancel()
        _ = await task.result
    }

    @Test func `a removed loadable that is still referenced stays the same instance`() {
        let clock = TestClock()
        let cache = LoadableCache(keepingUnusedFor: .seconds(10), clock: clock)
        let held = cache.loadable(["held"]) { Loadable.just(1) }
        cache.collect()
        clock.advance(by: .seconds(10))
        cache.collect()
        #expect(cache.keptCount == 0)
        #expect(cache.loadable(["held"]) { Loadable.just(2) } === held)
        #expect(cache.keptCount == 1)
    }

    @Test func `the cache collects automatically, and its sweeper ends with it`() async {
        let clock = TestClock()
        var cache: LoadableCache? = LoadableCache(keepingUnusedFor: .seconds(10), clock: clock)
        weak var unused: Loadable<Int>?
        unused = cache?.loadable(["unused"]) { Loadable.just(1) }
        for _ in 0..<3 {
            await until { clock.sleeperCount == 1 || unused == nil }
            clock.advance(by: .seconds(10))
        }
        await until { unused == nil }
        _ = cache?.loadable(["again"]) { Loadable.just(1) }
        await until { clock.sleeperCount == 1 }
        cache = nil
        await until { clock.sleeperCount == 0 }
    }

    @Test func `an image is checked before it commits, and shared by its key`() async throws {
        let cache = LoadableCache()
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
        let image = cache.image(["photo"]) { (png, "image/png") }
        #expect(cache.image(["photo"]) { ([], nil) } === image)
        #expect(try await image.fetch().format == .png)
        let text = cache.image(["text"]) { (Array("<html>".utf8), "image/png") }
        await #expect(throws: LoadableError.self) { try await text.fetch() }
        #expect(text.snapshot.contents == nil)
    }

    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
            ([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .jpeg2000),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), (Array("GIF87a".utf8), .gif),
            (Array("GIF89a".utf8), .gif), (Array("RIFF....WEBPVP8 ".utf8), .webp),
            ([0, 0, 0, 28] + Array("ftypavif".utf8), .avif),
            ([0, 0, 0, 24] + Array("ftypheic".utf8), .heic), ([], nil), (Array("RIFF....WAVE".utf8), nil),
            ([0xFF, 0xD8], nil),
            (Array("GIF88a".utf8), nil),
        ] as [([UInt8], EncodedImage.Format?)]
    )
    func `an image's format is recognised by its first bytes`(bytes: [UInt8], format: EncodedImage.Format?) {
        #expect(EncodedImage.Format(signature: bytes) == format)
    }

    @Test(
        arguments: [
            (nil, true), ("image/gif", true), ("Image/GIF; q=1", true), ("application/octet-stream", true),
            ("image/png", false), ("text/html", false),
        ] as [(String?, Bool)]
    )
    func `an image must have the declared type`(declared: String?, isAccepted: Bool) {
        let image = try? EncodedImage(Array("GIF89a".utf8), declared: declared)
        #expect((image != nil) == isAccepted)
        #expect((try? EncodedImage(Array("GIF89a".utf8), accepting: [.png], declared: declared)) == nil)
    }
}
