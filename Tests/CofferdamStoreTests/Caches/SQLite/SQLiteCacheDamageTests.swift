#if SQLite
import Cofferdam
import CofferdamStore
import Foundation
import GRDB
import Testing
import TestSupport

@Suite struct SQLiteCacheDamageTests {
    struct Damage: CustomTestStringConvertible {
        let testDescription: String
        let body: @Sendable (_ file: inout Data, _ pageSize: Int) -> Void
    }

    static let damages = [
        Damage(testDescription: "not a database") { file, _ in
            file = Data(String(repeating: "no ", count: 800).utf8)
        },
        Damage(testDescription: "a short text") { file, _ in file = Data("no".utf8) },
        Damage(testDescription: "a header cut off in the middle") { file, _ in file = file.prefix(50) },
        Damage(testDescription: "a header without its pages") { file, _ in file = file.prefix(100) },
        Damage(testDescription: "cut off after the first page") { file, page in file = file.prefix(page) },
        Damage(testDescription: "a header of zeros") { file, _ in
            file.replaceSubrange(0..<100, with: Data(count: 100))
        },
        Damage(testDescription: "zeros") { file, _ in file = Data(count: file.count) },
        Damage(testDescription: "every page after the first malformed") { file, page in
            file.replaceSubrange(page..., with: Data(repeating: 0xAB, count: file.count - page))
        },
    ]

    @Test(arguments: damages)
    func `a damaged file is moved aside, reported, and rebuilt empty`(_ damage: Damage) async throws {
        try await CacheDirectory.with { directory in
            try await directory.fill()
            let pageSize = try directory.withDatabase { try Int.fetchOne($0, sql: "PRAGMA page_size") }
            var file = try Data(contentsOf: URL(filePath: directory.file))
            damage.body(&file, try #require(pageSize))
            try file.write(to: URL(filePath: directory.file))
            let reported = Log<CacheError>()
            try await directory.withCache(.defaults { $0.onDamage = reported.add }) { cache in
                #expect(reported.entries.map(\.code) == [.damaged])
                #expect(reported.entries.first?.subject == directory.file)
                #expect(try await cache.bytes(for: "1") == nil)
                try await cache.set([1], for: "1")
            }
            #expect(try directory.names == ["cache.sqlite", "cache.sqlite.damaged"])
            #expect(try Data(contentsOf: URL(filePath: directory.file + ".damaged")) == file)
            try await directory.withCache(.defaults { $0.onDamage = reported.add }) { cache in
                #expect(try await cache.bytes(for: "1") == [1])
                #expect(reported.entries.count == 1)
                try await cache.removeAll()
                #expect(try !directory.names.contains { $0.contains("damaged") }, "it held the user's bytes")
            }
        }
    }

    @Test(arguments: [
        "DROP TABLE file", "DROP TABLE entry", "ALTER TABLE entry RENAME COLUMN written TO wrote",
        "INSERT OR REPLACE INTO file (rowid, format) VALUES (1, 'four')",
    ])
    func `a file that lacks a required part is reported when that is found, and rebuilt`(_ sql: String) async throws {
        try await CacheDirectory.with { directory in
            try await directory.fill()
            try directory.withDatabase { try $0.execute(sql: sql) }
            try await expectRebuilt(directory)
        }
    }

    @Test func `a malformed page is reported by the call that finds it, and the next call has an empty cache`()
        async throws
    {
        try await CacheDirectory.with { directory in
            try await directory.fill()
            try directory.damageEntries()
            try await expectRebuilt(directory)
        }
    }

    @Test func `of two caches with a damaged file, the second continues with what the first has rebuilt`()
        async throws
    {
        try await CacheDirectory.with { directory in
            try await directory.fill()
            let caches = try (0..<2).map { _ in try SQLiteCache(path: directory.file) }
            try directory.damageEntries()
            let error = await #expect(throws: CacheError.self) { try await caches[0].bytes(for: "1") }
            #expect(error?.code == .damaged)
            try await caches[0].set([1], for: "a")
            #expect(try await caches[1].bytes(for: ["1", "a"]) == ["a": [1]])
            try await caches[1].set([2], for: "b")
            #expect(try await caches[0].bytes(for: "b") == [2])
        }
    }

    /// Checks that opening or the first call reports the damage, and the second call works.
    private func expectRebuilt(_ directory: CacheDirectory) async throws {
        let reported = Log<CacheError>()
        try await directory.withCache(.defaults { $0.onDamage = reported.add }) { cache in
            if reported.entries.isEmpty {
                let error = await #expect(throws: CacheError.self) { try await cache.bytes(for: "1") }
                #expect(error?.code == .damaged)
            }
            #expect(reported.entries.map(\.code) == [.damaged])
            #expect(try await cache.bytes(for: ["1", "2"]) == [:])
            try await cache.set([1], for: "1")
            #expect(try await cache.bytes(for: "1") == [1])
        }
        #expect(try directory.names == ["cache.sqlite", "cache.sqlite.damaged"])
    }
}

extension CacheDirectory {
    /// Damages the first page of the table of entries.
    fileprivate func damageEntries() throws {
        let (pageSize, root) = try withDatabase { database in
            (
                try #require(try Int.fetchOne(database, sql: "PRAGMA page_size")),
                try #require(
                    try Int.fetchOne(database, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'entry'")
                )
            )
        }
        var contents = try Data(contentsOf: URL(filePath: file))
        let page = (root - 1) * pageSize
        contents.replaceSubrange(page..<(page + pageSize), with: Data(repeating: 0xAB, count: pageSize))
        try contents.write(to: URL(filePath: file))
    }

    /// Writes several pages of entries.
    fileprivate func fill() async throws {
        try await withCache { cache in
            for number in 0..<40 { try await cache.set([UInt8](repeating: 1, count: 1000), for: "\(number)") }
        }
    }
}
#endif
