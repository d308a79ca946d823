#if SQLite
import Cofferdam
import CofferdamSupport
import CofferdamStore
import Foundation
import Testing
import TestSupport

/// Removes or replaces a cache's files while they are open. The next process must read everything that the cache
/// acknowledged.
@Suite struct SQLiteCacheReplacedTests {
    /// A change to the files of a cache that holds `[1]` under "old".
    struct Change: CustomTestStringConvertible {
        let testDescription: String
        /// Whether entries that were only in the log can still be saved.
        var keepsOld = false
        let body: @Sendable (_ file: String) throws -> Void

        static func removing(_ suffixes: String...) -> @Sendable (String) throws -> Void {
            { file in
                for suffix in suffixes { try FileManager.default.removeItem(atPath: file + suffix) }
            }
        }
    }

    static let changes = [
        Change(testDescription: "all removed", body: Change.removing("", "-wal", "-shm")),
        Change(testDescription: "the file removed", body: Change.removing("")),
        Change(testDescription: "the log removed", keepsOld: true, body: Change.removing("-wal")),
        Change(testDescription: "the index removed", keepsOld: true, body: Change.removing("-shm")),
        Change(testDescription: "log and index removed", keepsOld: true, body: Change.removing("-wal", "-shm")),
        Change(testDescription: "all moved away") { file in
            for suffix in ["", "-wal", "-shm"] {
                try FileManager.default.moveItem(atPath: file + suffix, toPath: file + ".away" + suffix)
            }
        },
        Change(testDescription: "the file replaced by a copy, as by a restored backup") { file in
            try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
            try Change.removing("", "-wal", "-shm")(file)
            try FileManager.default.moveItem(atPath: file + ".copy", toPath: file)
        },
        Change(testDescription: "the file replaced by an empty one") { file in
            try Data().write(to: URL(filePath: file + ".new"))
            try #require(rename(file + ".new", file) == 0)
        },
        Change(testDescription: "the file emptied") { file in try #require(truncate(file, 0) == 0) },
    ]

    @Test func `a cache behind a symbolic link is one whose files are in place, which only its owner can read`()
        async throws
    {
        try await CacheDirectory.with { directory in
            let files = FileManager.default
            try files.createSymbolicLink(atPath: directory.file, withDestinationPath: "real.sqlite")
            let reported = Log<CacheError>()
            let cache = try SQLiteCache(
                path: directory.file,
                configuration: .defaults { $0.onDamage = reported.add }
            )
            try await cache.set([1], for: "a")
            #expect(try await cache.bytes(for: ["a"]) == ["a": [1]])
            #expect(reported.entries.isEmpty)
            for suffix in DatabaseFiles.suffixes {
                let attributes = try files.attributesOfItem(atPath: directory.path + "/real.sqlite" + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            }
            try await cache.close()
        }
    }

    @Test(arguments: changes)
    func `a write that has returned is there for the next process, whatever happened to the files`(
        _ change: Change
    ) async throws {
        try await CacheDirectory.with { directory in
            let reported = Log<CacheError>()
            let cache = try SQLiteCache(
                path: directory.file,
                configuration: .defaults { $0.onDamage = reported.add }
            )
            try await cache.set([1], for: "old")
            try change.body(directory.file)
            try await cache.set([2], for: "new")
            await directory.expectNextProcess(reads: [2], for: "new")
            if change.keepsOld { await directory.expectNextProcess(reads: [1], for: "old") }
            #expect(reported.entries.map(\.code) == [.replaced])
            #expect(reported.entries.first?.subject == directory.file)
            try await cache.set([3], for: "newer")
            await directory.expectNextProcess(reads: [3], for: "newer")
            #expect(try await cache.bytes(for: ["new", "newer"]) == ["new": [2], "newer": [3]])
            #expect(reported.entries.count == 1)
        }
    }

    @Test(arguments: changes)
    func `a read returns only what is there now`(_ change: Change) async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file)
            try await cache.set([1], for: "old")
            try change.body(directory.file)
            #expect(try await cache.bytes(for: "old") == (change.keepsOld ? [1] : nil))
        }
    }

    @Test func `limits apply to what is at the path now`() async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file, configuration: .defaults { $0.maximumBytes = 10 })
            for number in 0..<5 as Range<UInt8> { try await cache.set([number], for: "\(number)") }
            try Change.removing("", "-wal", "-shm")(directory.file)
            for number in 5..<10 as Range<UInt8> { try await cache.set([number], for: "\(number)") }
            let found = try await cache.bytes(for: (0..<10).map { "\($0)" })
            #expect(found == ["5": [5], "6": [6], "7": [7], "8": [8], "9": [9]])
        }
    }

    @Test func `a user's directory that was removed is created again`() async throws {
        try await CacheDirectory.with { directory in
            let caches = directory.path + "/caches"
            let cache = try SQLiteCache(user: "amara", in: caches)
            try await cache.set([1], for: "a")
            try FileManager.default.removeItem(atPath: caches)
            try await cache.set([2], for: "b")
            try await SQLiteCache(user: "amara", in: caches).set([3], for: "c")
            #expect(try await cache.bytes(for: ["a", "b", "c"]) == ["b": [2], "c": [3]])
        }
    }

    @Test func `once the directory is gone a write fails, and works again when it is back`() async throws {
        try await CacheDirectory.with { directory in
            let caches = directory.path + "/caches"
            try FileManager.default.createDirectory(atPath: caches, withIntermediateDirectories: true)
            let cache = try SQLiteCache(path: caches + "/cache.sqlite")
            try await cache.set([1], for: "a")
            try FileManager.default.removeItem(atPath: caches)
            let error = await #expect(throws: CacheError.self) { try await cache.set([2], for: "b") }
            #expect(error?.code == .file)
            #expect(error?.subject == caches + "/cache.sqlite")
            try FileManager.default.createDirectory(atPath: caches, withIntermediateDirectories: true)
            try await cache.set([3], for: "c")
            #expect(try await cache.bytes(for: ["a", "b", "c"]) == ["c": [3]])
        }
    }

    @Test func `a log left over from a removed file is not used for a new one`() async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file)
            try await cache.set([1], for: "old")
            try Change.removing("")(directory.file)
            await directory.expectNextProcess(writes: [2], for: "new")
            #expect(try await cache.bytes(for: ["old", "new"]) == ["new": [2]])
            try await cache.set([3], for: "newer")
            await directory.expectNextProcess(reads: [2], for: "new")
            await directory.expectNextProcess(reads: [3], for: "newer")
        }
    }

    @Test func `removing everything removes it from what is at the path now`() async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file)
            try await cache.set([1], for: "old")
            try Change.removing("", "-wal", "-shm")(directory.file)
            await directory.expectNextProcess(writes: [2], for: "new")
            try await cache.removeAll()
            await directory.expectNextProcess(reads: nil, for: "new")
        }
    }
}

extension CacheDirectory {
    /// Checks what another process reads from the file.
    func expectNextProcess(
        reads bytes: [UInt8]?,
        for key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(processExitsWith: .success, sourceLocation: sourceLocation) {
            [file = file as String, bytes = bytes as [UInt8]?, key = key as String] in
            let found = try await SQLiteCache(path: file).bytes(for: key)
            guard found == bytes else { exit(3) }
        }
    }

    /// Checks that another process can open the file, write, and close it.
    func expectNextProcess(
        writes bytes: [UInt8],
        for key: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(processExitsWith: .success, sourceLocation: sourceLocation) {
            [file = file as String, bytes = bytes as [UInt8], key = key as String] in
            let cache = try SQLiteCache(path: file)
            try await cache.set(bytes, for: key)
            try await cache.close()
        }
    }
}
#endif
