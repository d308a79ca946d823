#if SQLite
import CofferdamStore
import Foundation
import GRDB
import Testing

@Suite struct SQLiteCacheTests {
    @Test func `a cache in memory keeps bytes by key`() async throws {
        try await checkCache(try SQLiteCache(path: nil))
    }

    @Test func `a cache on disk keeps bytes by key`() async throws {
        try await CacheDirectory.with { try await checkCache(try SQLiteCache(path: $0.file)) }
    }

    @Test func `entries are still there when the file is opened again`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { try await $0.set([1, 2, 3], for: "a") }
            try await directory.withCache { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == [1, 2, 3])
            }
        }
    }

    @Test func `two caches on one file see each other's writes`() async throws {
        try await CacheDirectory.with { directory in
            let limited = SQLiteCacheConfiguration.defaults { $0.maximumBytes = 10 }
            let (one, two) = (
                try SQLiteCache(path: directory.file, configuration: limited),
                try SQLiteCache(path: directory.file, configuration: limited)
            )
            for number in 0..<20 as Range<UInt8> {
                try await (number.isMultiple(of: 2) ? one : two).set([number], for: "\(number % 7)")
            }
            let keys = (0..<7).map { "\($0)" }
            let expected: [String: [UInt8]] = ["1": [15], "2": [16], "3": [17], "4": [18], "5": [19]]
            #expect(try await one.bytes(for: keys) == expected)
            #expect(try await two.bytes(for: keys) == expected)
        }
    }

    @Test func `a sealed entry is nowhere readable on the disk, and cannot be passed off as another`() async throws {
        try await CacheDirectory.with { directory in
            let configuration = SQLiteCacheConfiguration.defaults { $0.seal = .reversing }
            let secret = Array("the elephant's password".utf8)
            try await directory.withCache(configuration) { try await $0.set(secret, for: "a") }
            #expect(try directory.contents.range(of: Data(secret)) == nil)
            #expect(try directory.contents.range(of: Data(secret.reversed())) != nil)
            try await directory.withCache(configuration) { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == secret)
            }
            try directory.withDatabase {
                try $0.execute(sql: "UPDATE entry SET key = ?", arguments: [Data("b".utf8)])
            }
            try await directory.withCache(configuration) { cache in
                await #expect(throws: Unsealable.self) { try await cache.bytes(for: "b") }
            }
        }
    }

    @Test func `after closing, calls are refused and the file is alone`() async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file)
            try await cache.set([1], for: "a")
            try await cache.close()
            try await cache.close()
            #expect(try directory.names == ["cache.sqlite"])
            let error = await #expect(throws: CacheError.self) { try await cache.bytes(for: "a") }
            #expect(error?.code == .closed)
            #expect(error?.subject == directory.file)
        }
    }

    @Test func `a path that cannot be opened is an error that names it`() async throws {
        try await CacheDirectory.with { directory in
            for path in [directory.path, directory.path + "/missing/cache.sqlite"] {
                let error = #expect(throws: CacheError.self) { try SQLiteCache(path: path) }
                #expect(error?.code == .file)
                #expect(error?.subject == path)
            }
        }
    }

    @Test func `a format below 1 is refused`() {
        let configuration = SQLiteCacheConfiguration.defaults { $0.formatVersion = 0 }
        #expect(Result { try SQLiteCache(path: nil, configuration: configuration) }.refusal == .invalid)
    }
}

struct Unsealable: Error {}

extension CacheSeal {
    /// A seal for tests: the bytes in reverse order, followed by the key.
    static let reversing = CacheSeal(
        seal: { bytes, key in bytes.reversed() + key.utf8 },
        open: { bytes, key in
            guard bytes.suffix(key.utf8.count).elementsEqual(key.utf8) else { throw Unsealable() }
            return bytes.dropLast(key.utf8.count).reversed()
        }
    )
}
#endif
