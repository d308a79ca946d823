#if SQLite
import Cofferdam
import CofferdamSupport
import CofferdamStore
import CofferdamTesting
import Testing
import TestSupport

@Suite struct SQLiteCacheLimitTests {
    private let clock = CalendarClock()

    @Test func `the entry written first is evicted first`() async throws {
        let cache = try SQLiteCache(path: nil, configuration: .defaults { $0.maximumBytes = 20 })
        try await cache.set([UInt8](repeating: 1, count: 9), for: "a")
        try await cache.set([UInt8](repeating: 2, count: 9), for: "b")
        #expect(try await cache.keys() == ["a", "b"], "exactly the limit")
        try await cache.set([UInt8](repeating: 3, count: 9), for: "a")
        try await cache.set([], for: "c")
        #expect(try await cache.keys() == ["a", "c"], "a was written again")
        try await cache.set([UInt8](repeating: 4, count: 20), for: "c")
        #expect(try await cache.keys() == ["a"], "too large for the limit: not kept, and no other goes for it")
        try await cache.set(["d", "e", "f"].map { ModelCacheEntry($0, [UInt8](repeating: 5, count: 9)) })
        #expect(try await cache.keys() == ["e", "f"], "a batch that does not fit keeps its end")
    }

    @Test func `with a limit of 0 nothing is kept`() async throws {
        let cache = try SQLiteCache(path: nil, configuration: .defaults { $0.maximumBytes = 0 })
        try await cache.set([], for: "a")
        #expect(try await cache.keys() == [])
    }

    @Test func `a smaller limit at the next opening applies to existing entries`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { cache in
                for key in ["a", "b", "c", "d"] { try await cache.set([1], for: key) }
            }
            try await directory.withCache(.defaults { $0.maximumBytes = 4 }) { cache in
                try await cache.set([1], for: "e")
                #expect(try await cache.keys() == ["d", "e"])
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `after any program it has what the slow model has`(_ seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        let cache = try SQLiteCache(
            path: nil,
            configuration: .defaults { [clock] configuration in
                configuration.maximumBytes = 60
                configuration.maximumAge = .seconds(10)
                configuration.now = { clock.now }
            }
        )
        var model: [(key: String, bytes: [UInt8], written: Duration)] = []  // the first written first
        for step in 0..<300 {
            let entries = (0..<dice.roll(4)).map { _ in
                let bytes =
                    dice.roll(6) == 0 ? nil : [UInt8](repeating: UInt8(dice.roll(256)), count: dice.roll(30))
                return ModelCacheEntry("\(dice.roll(9))", bytes)
            }
            try await cache.set(entries)
            for entry in entries {
                model.removeAll { $0.key == entry.key }
                if let bytes = entry.bytes { model.append((entry.key, bytes, clock.now)) }
            }
            if !entries.isEmpty {
                model.removeAll { clock.now - $0.written > .seconds(10) }
                while model.reduce(0, { $0 + 1 + $1.bytes.count }) > 60 { model.removeFirst() }
            }
            clock.advance(by: .seconds(dice.roll(6)))
            let expected = model.filter { clock.now - $0.written <= .seconds(10) }
            let found = try await cache.bytes(for: (0..<9).map { "\($0)" })
            #expect(
                found == Dictionary(uniqueKeysWithValues: expected.map { ($0.key, $0.bytes) }),
                "seed \(seed), step \(step)"
            )
        }
    }

    @Test func `an entry that is too old is absent at once, and gone after a write`() async throws {
        try await CacheDirectory.with { directory in
            let configuration = SQLiteCacheConfiguration.defaults { [clock] configuration in
                configuration.maximumAge = .seconds(60)
                configuration.now = { clock.now }
            }
            try await directory.withCache(configuration) { cache in
                try await cache.set([1], for: "a")
                clock.advance(by: .seconds(60))
                try await cache.set([2], for: "b")
                #expect(try await cache.keys() == ["a", "b"])
                clock.advance(by: .milliseconds(1))
                #expect(try await cache.keys() == ["b"])
                try await cache.set([3], for: "c")
            }
            let count = try directory.withDatabase { try $0.count("entry") }
            #expect(count == 2, "the disk has what is not too old")
            clock.advance(by: .seconds(-3600))
            try await directory.withCache(configuration) { cache in
                let kept = try await cache.keys()
                #expect(kept == [], "what is from the future is as old as it is far")
            }
        }
    }

    @Test(arguments: [.seconds(-1), .zero, .seconds(Int64.max), .seconds(Int64.min)] as [Duration])
    func `any maximum age is accepted`(_ age: Duration) async throws {
        for now in [.zero, .seconds(Int64.max), .seconds(Int64.min)] as [Duration] {
            let cache = try SQLiteCache(
                path: nil,
                configuration: .defaults {
                    $0.maximumAge = age
                    $0.now = { now }
                }
            )
            try await cache.set([1], for: "a")
            #expect(try await cache.bytes(for: "a") == [1], "no time has passed")
        }
    }
}

extension SQLiteCache {
    /// Returns the letters that the cache still has.
    fileprivate func keys() async throws -> Set<String> {
        Set(try await bytes(for: "abcdefgh".map { "\($0)" }).keys)
    }
}

/// A wall clock that moves only when a test advances it or sets it back.
private final class CalendarClock: Sendable {
    private let time = Mutex<Duration>(.seconds(1_800_000_000))
    var now: Duration { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
#endif
