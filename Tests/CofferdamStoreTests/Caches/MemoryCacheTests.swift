import Cofferdam
import CofferdamSupport
import CofferdamStore
import Testing
import TestSupport

@Suite struct MemoryCacheTests {
    struct Limit: CustomTestStringConvertible {
        let maximumBytes: Int?
        let calls: [Call]
        let kept: Set<String>
        var evictions = 0
        let testDescription: String

        enum Call {
            case write(String, bytes: Int)
            case read(String)
            case remove(String)
        }
    }

    // Each key counts one byte.
    static let limits = [
        Limit(
            maximumBytes: nil,
            calls: [.write("a", bytes: 1000), .write("b", bytes: 1000)],
            kept: ["a", "b"],
            testDescription: "no limit"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 9)],
            kept: ["a", "b"],
            testDescription: "exactly the limit"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 9), .write("c", bytes: 0)],
            kept: ["b", "c"],
            evictions: 1,
            testDescription: "the entry written first is evicted first"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 9), .read("a"), .write("c", bytes: 0)],
            kept: ["a", "c"],
            evictions: 1,
            testDescription: "an entry that is read stays"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 8), .write("a", bytes: 8), .write("c", bytes: 8)],
            kept: ["a", "c"],
            evictions: 1,
            testDescription: "an entry that is written again stays"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 3), .write("b", bytes: 3), .write("c", bytes: 3), .write("d", bytes: 15)],
            kept: ["c", "d"],
            evictions: 2,
            testDescription: "as many are evicted as necessary"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 9), .remove("a"), .write("c", bytes: 9)],
            kept: ["b", "c"],
            testDescription: "a removed entry takes no space"
        ),
        Limit(
            maximumBytes: 20,
            calls: [.write("a", bytes: 9), .write("b", bytes: 5), .write("b", bytes: 20)],
            kept: ["a"],
            evictions: 1,
            testDescription: "an entry over the limit is not kept, and evicts no other"
        ),
        Limit(
            maximumBytes: 0,
            calls: [.write("a", bytes: 0), .write("", bytes: 1)],
            kept: [],
            evictions: 2,
            testDescription: "with 0 nothing is kept"
        ),
    ]

    @Test(arguments: limits)
    func `the least recently used entry is evicted first`(_ limit: Limit) async {
        let cache = MemoryCache(maximumBytes: limit.maximumBytes)
        for call in limit.calls {
            switch call {
            case .write(let key, let bytes): await cache.set([UInt8](repeating: 7, count: bytes), for: key)
            case .read(let key): _ = await cache.bytes(for: key)
            case .remove(let key): await cache.set(nil, for: key)
            }
        }
        #expect(Set(await cache.bytes(for: ["", "a", "b", "c", "d"]).keys) == limit.kept)
        #expect(cache.statistics.evictions == limit.evictions)
    }

    @Test func `hits and misses are counted`() async {
        let cache = MemoryCache()
        await cache.set([1], for: "a")
        _ = await cache.bytes(for: "a")
        _ = await cache.bytes(for: "b")
        _ = await cache.bytes(for: ["a", "b", "c"])
        #expect((cache.statistics.hits, cache.statistics.misses) == (2, 3))
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `after any program it has what the slow model has`(_ seed: UInt64) async {
        var dice = Dice(seed: seed)
        let cache = MemoryCache(maximumBytes: 60)
        var model: [(key: String, bytes: [UInt8])] = []  // the least recently used first
        for step in 0..<2000 {
            let key = "\(dice.roll(10))"
            let index = model.firstIndex { $0.key == key }
            if dice.roll(2) == 0 {
                let bytes = await cache.bytes(for: key)
                #expect(bytes == index.map { model[$0].bytes }, "seed \(seed), step \(step)")
                if let index { model.append(model.remove(at: index)) }
            } else {
                let bytes = dice.roll(6) == 0 ? nil : [UInt8](repeating: UInt8(dice.roll(256)), count: dice.roll(30))
                await cache.set(bytes, for: key)
                if let index { model.remove(at: index) }
                if let bytes { model.append((key, bytes)) }
                while model.reduce(0, { $0 + 1 + $1.bytes.count }) > 60 { model.removeFirst() }
            }
        }
    }
}
