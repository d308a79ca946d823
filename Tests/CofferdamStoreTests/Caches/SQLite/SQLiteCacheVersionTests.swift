#if SQLite
import CofferdamStore
import Foundation
import GRDB
import Testing

/// Checks versions of the file's layout and of the app's format.
@Suite struct SQLiteCacheVersionTests {
    @Test func `a file of the first layout keeps its entries`() async throws {
        try await CacheDirectory.with { directory in
            try directory.withDatabase { try $0.makeFirstLayout() }
            for _ in 1...2 {
                try await directory.withCache { cache in
                    let kept = try await cache.bytes(for: ["a", "é"])
                    #expect(kept == ["a": [1], "é": [2]])
                }
            }
        }
    }

    @Test func `entries of the first layout are of format 1`() async throws {
        try await CacheDirectory.with { directory in
            try directory.withDatabase { try $0.makeFirstLayout() }
            let configuration = SQLiteCacheConfiguration.defaults {
                $0.formatVersion = 2
                $0.migrate = { bytes, _, version in bytes + [UInt8(version)] }
            }
            try await directory.withCache(configuration) { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == [1, 1])
            }
        }
    }

    @Test func `a file from a newer kit is refused, and stays as it is`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { try await $0.set([1], for: "a") }
            try directory.withDatabase {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')")
            }
            try await expectRefusal(.newer, in: directory)
        }
    }

    @Test func `entries of a newer format are refused, and stay as they are`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache(.defaults { $0.formatVersion = 3 }) { try await $0.set([1], for: "a") }
            try await expectRefusal(.newer, .defaults { $0.formatVersion = 2 }, in: directory)
            try await directory.withCache(.defaults { $0.formatVersion = 3 }) { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == [1])
            }
        }
    }

    @Test(arguments: [
        "CREATE TABLE diary (day TEXT, secret TEXT)",
        "CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT)",
        """
        CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('entries')
        """,
        "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1')",
        "PRAGMA application_id = 7",
    ])
    func `a database of something else is refused, and stays as it is`(_ sql: String) async throws {
        try await CacheDirectory.with { directory in
            try directory.withDatabase { try $0.execute(sql: sql) }
            try await expectRefusal(.foreign, in: directory)
        }
    }

    @Test(arguments: [
        "", "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)", "PRAGMA user_version = 0",
    ])
    func `a file that was cut off before it had any entries counts as new`(_ sql: String) async throws {
        try await CacheDirectory.with { directory in
            try directory.withDatabase { try $0.execute(sql: sql) }
            try await directory.withCache(.defaults { $0.formatVersion = 4 }) { try await $0.set([1], for: "a") }
            try await directory.withCache(.defaults { $0.formatVersion = 4 }) { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == [1])
            }
        }
    }

    @Test(arguments: [false, true])
    func `entries of an older format are migrated at opening, once`(_ isSealed: Bool) async throws {
        let seal = isSealed ? CacheSeal.reversing : nil
        try await CacheDirectory.with { directory in
            try await directory.withCache(.defaults { $0.seal = seal }) { cache in
                try await cache.set(["a", "b", "c"].map { ModelCacheEntry($0, Array($0.utf8)) })
            }
            let configuration = SQLiteCacheConfiguration.defaults {
                $0.seal = seal
                $0.formatVersion = 3
                $0.migrate = { bytes, key, version in
                    #expect(bytes == Array(key.utf8))
                    return key == "b" ? nil : bytes + [UInt8(version)]
                }
            }
            for _ in 1...2 {
                try await directory.withCache(configuration) { cache in
                    let kept = try await cache.bytes(for: ["a", "b", "c"])
                    #expect(kept == ["a": [0x61, 1], "c": [0x63, 1]])
                }
            }
        }
    }

    @Test func `without a migration, entries of an older format are dropped`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { try await $0.set([1], for: "a") }
            try await directory.withCache(.defaults { $0.formatVersion = 2 }) { cache in
                let kept = try await cache.bytes(for: "a")
                #expect(kept == nil)
            }
        }
    }

    @Test func `a migration that throws leaves everything as it was`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { cache in
                try await cache.set([ModelCacheEntry("a", [1]), ModelCacheEntry("b", [2])])
            }
            let configuration = SQLiteCacheConfiguration.defaults {
                $0.formatVersion = 2
                $0.migrate = { _, key, _ in if key == "b" { throw Unsealable() } else { [9] } }
            }
            #expect(throws: Unsealable.self) { try SQLiteCache(path: directory.file, configuration: configuration) }
            try await directory.withCache { cache in
                let kept = try await cache.bytes(for: ["a", "b"])
                #expect(kept == ["a": [1], "b": [2]])
            }
        }
    }

    private func expectRefusal(
        _ code: CacheError.Code,
        _ configuration: SQLiteCacheConfiguration = SQLiteCacheConfiguration(),
        in directory: CacheDirectory
    ) async throws {
        let before = try directory.contents
        let error = #expect(throws: CacheError.self) {
            try SQLiteCache(path: directory.file, configuration: configuration)
        }
        #expect(error?.code == code)
        #expect(error?.subject == directory.file)
        #expect(try directory.names == ["cache.sqlite"])
        #expect(try directory.contents == before)
    }
}

extension Database {
    /// Creates a file as the kit's first version did.
    fileprivate func makeFirstLayout() throws {
        try execute(
            sql: """
                CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                INSERT INTO grdb_migrations VALUES ('entries');
                CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL);
                INSERT INTO entry VALUES ('a', x'01'), ('e' || char(0x301), x'02');
                """
        )
    }

    func count(_ table: String) throws -> Int? { try Int.fetchOne(self, sql: "SELECT count(*) FROM \(table)") }
}
#endif
