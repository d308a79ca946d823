#if SQLite
import Cofferdam
import CofferdamStore
import Foundation
import Testing

/// Checks that signing out removes everything, whatever the disk reports.
@Suite struct SQLiteCacheForgettingTests {
    @Test func `everything is removed on a full disk`() async throws {
        try await CacheDirectory.with { directory in
            await #expect(processExitsWith: .success) { [file = directory.file as String] in
                let cache = try SQLiteCache(path: file)
                try await cache.fill()
                BadDisk.isFull(true)
                // Otherwise this test would check nothing.
                guard await Result({ try await cache.set([1], for: "a") }).cacheCode != nil else { exit(3) }
                try await cache.removeAll()
                BadDisk.isFull(false)
                guard try await cache.bytes(for: ["a", "1", "2"]).isEmpty else { exit(4) }
                try await cache.set([2], for: "b")
            }
            try directory.expectNothingOfTheSecret()
            await directory.expectNextProcess(reads: nil, for: "1")
            await directory.expectNextProcess(reads: [2], for: "b")
        }
    }

    @Test func `everything is removed even if the disk is too full to open the file`() async throws {
        try await CacheDirectory.with { directory in
            try await directory.withCache { try await $0.fill() }
            await #expect(processExitsWith: .success) { [file = directory.file as String] in
                BadDisk.isFull(true)
                guard Result(catching: { try SQLiteCache(path: file) }).refusal != nil else { exit(3) }
                try SQLiteCache.removeAll(path: file)
            }
            #expect(try directory.names == [])
            try SQLiteCache.removeAll(path: directory.file)
            #expect(try directory.names == [], "there is nothing to remove, which is no error")
        }
    }

    @Test func `one user's files are removed unopened, damaged ones too, and another's stay`() async throws {
        try await CacheDirectory.with { directory in
            for user in ["amara", "bo"] {
                let cache = try SQLiteCache(user: user, in: directory.path)
                try await cache.set([1], for: "a")
                try await cache.close()
            }
            for suffix in ["-wal", "-shm", ".damaged", ".damaged-wal", ".damaged-shm"] {
                try Data([1]).write(to: URL(filePath: directory.path + "/user-amara.sqlite" + suffix))
            }
            try SQLiteCache.removeAll(user: "amara", in: directory.path)
            #expect(try directory.names == ["user-bo.sqlite"])
            try SQLiteCache.removeAll(user: "amara", in: directory.path + "/missing")
            #expect(try directory.names == ["user-bo.sqlite"])
        }
    }

    @Test func `a file that cannot be removed from its directory is truncated`() async throws {
        try await CacheDirectory.with { directory in
            try directory.openToAll()
            await #expect(processExitsWith: .success) { [path = directory.path as String] in
                BadDisk.leaveRoot()
                let caches = path + "/caches"
                let cache = try SQLiteCache(user: "amara", in: caches)
                try await cache.fill()
                try BadDisk.isReadOnly(true, caches, files: false)
                BadDisk.isFull(true)
                try await cache.removeAll()
                let names = try FileManager.default.contentsOfDirectory(atPath: caches)
                guard names.contains("user-amara.sqlite") else { exit(3) }
                for name in names {
                    let contents = try Data(contentsOf: URL(filePath: caches + "/" + name))
                    guard contents.range(of: Data(SQLiteCache.secret)) == nil else { exit(4) }
                }
                // SQLite removes the empty log before it opens the file.
                guard await Result({ _ = try await cache.bytes(for: "1") }).cacheCode == .file else { exit(5) }
                BadDisk.isFull(false)
                try BadDisk.isReadOnly(false, caches)
                guard try await cache.bytes(for: "1") == nil else { exit(6) }
                try await cache.set([1], for: "1")
                guard try await cache.bytes(for: "1") == [1] else { exit(7) }
            }
        }
    }

    @Test func `entries that the disk keeps are not read by this process, and the error says so`() async throws {
        try await CacheDirectory.with { directory in
            try directory.openToAll()
            await #expect(processExitsWith: .success) { [path = directory.path as String] in
                BadDisk.leaveRoot()
                let (caches, file) = (path + "/caches", path + "/caches/user-amara.sqlite")
                let cache = try SQLiteCache(user: "amara", in: caches)
                try await cache.fill()
                try BadDisk.isReadOnly(true, caches)
                BadDisk.isFull(true)
                guard case .failure(let error as CacheError) = await Result({ try await cache.removeAll() }),
                    error.code == .notRemoved, error.subject == file, "\(error)".contains("still on the disk")
                else { exit(3) }
                guard await Result({ _ = try await cache.bytes(for: "1") }).cacheCode == .notRemoved else {
                    exit(4)
                }
                guard await Result({ try await cache.set([1], for: "1") }).cacheCode == .notRemoved else { exit(5) }
                let other = Result(catching: { try SQLiteCache(user: "amara", in: caches) })
                guard other.refusal == .notRemoved else { exit(6) }
                BadDisk.isFull(false)
                // Free space alone changes nothing.
                guard await Result({ _ = try await cache.bytes(for: "1") }).cacheCode == .notRemoved else {
                    exit(7)
                }
                try BadDisk.isReadOnly(false, caches)
                guard try await cache.bytes(for: ["1", "2"]).isEmpty else { exit(8) }
                try await cache.set([2], for: "b")
                guard try await SQLiteCache(user: "amara", in: caches).bytes(for: ["1", "b"]) == ["b": [2]] else {
                    exit(9)
                }
            }
        }
    }

    @Test func `entries that the disk keeps cannot be read without the discarded key`() async throws {
        try await CacheDirectory.with { directory in
            try directory.openToAll()
            await #expect(processExitsWith: .success) { [path = directory.path as String] in
                BadDisk.leaveRoot()
                let caches = path + "/caches"
                let key = DiscardableKey()
                let cache = try SQLiteCache(
                    user: "amara",
                    in: caches,
                    configuration: .defaults { $0.seal = key.seal }
                )
                try await cache.set([1, 2, 3], for: "a")
                guard try await cache.bytes(for: "a") == [1, 2, 3] else { exit(3) }
                try BadDisk.isReadOnly(true, caches)
                BadDisk.isFull(true)
                guard await Result({ try await cache.removeAll() }).cacheCode == .notRemoved else { exit(4) }
                guard key.discarded == 1 else { exit(5) }
                try BadDisk.isReadOnly(false, caches)
            }
            let found = try SQLiteCache(
                user: "amara",
                in: directory.path + "/caches",
                configuration: .defaults { $0.seal = DiscardableKey(number: 1).seal }
            )
            await #expect(throws: Unsealable.self, "the next process has the next key") {
                try await found.bytes(for: "a")
            }
        }
    }

    @Test func `the key is discarded first, and its failure is thrown last`() async throws {
        try await CacheDirectory.with { directory in
            let key = DiscardableKey()
            try await directory.withCache(.defaults { $0.seal = key.seal }) { cache in
                try await cache.set([1], for: "a")
                try await cache.removeAll()
                #expect(key.discarded == 1)
                #expect(try await cache.bytes(for: "a") == nil)
                try await cache.set([2], for: "a")
                #expect(try await cache.bytes(for: "a") == [2], "sealed with a new key")
                key.isStuck = true
                await #expect(throws: DiscardableKey.Stuck.self) { try await cache.removeAll() }
                #expect(try await cache.bytes(for: "a") == nil, "removed all the same")
            }
        }
    }

    @Test func `a cache with the file open continues empty when another has removed it from a full disk`()
        async throws
    {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(path: directory.file)
            try await cache.fill()
            await #expect(processExitsWith: .success) { [file = directory.file as String] in
                let cache = try SQLiteCache(path: file)
                guard try await cache.bytes(for: "1") == SQLiteCache.secret else { exit(3) }
                BadDisk.isFull(true)
                try await cache.removeAll()
            }
            #expect(try await cache.bytes(for: ["1", "2"]) == [:])
            try await cache.set([1], for: "a")
            await directory.expectNextProcess(reads: [1], for: "a")
            await directory.expectNextProcess(reads: nil, for: "1")
            try directory.expectNothingOfTheSecret()
        }
    }
}

/// A key that can be discarded; later uses get a new one.
private final class DiscardableKey: Sendable {
    struct Stuck: Error {}

    private let state: Mutex<(number: UInt8, discarded: Int, isStuck: Bool)>

    init(number: UInt8 = 0) { state = Mutex((number, 0, false)) }

    var discarded: Int { state.withLock { $0.discarded } }
    var isStuck: Bool {
        get { state.withLock { $0.isStuck } }
        set { state.withLock { $0.isStuck = newValue } }
    }

    var seal: CacheSeal {
        CacheSeal(
            seal: { [self] bytes, _ in [state.withLock { $0.number }] + bytes },
            open: { [self] bytes, _ in
                guard bytes.first == state.withLock({ $0.number }) else { throw Unsealable() }
                return Array(bytes.dropFirst())
            },
            discardKey: { [self] in
                try state.withLock { state in
                    if state.isStuck { throw Stuck() }
                    state.number += 1
                    state.discarded += 1
                }
            }
        )
    }
}

extension SQLiteCache {
    fileprivate static let secret = Array("not to be read".utf8)

    /// Writes several pages, to the file and to its log.
    fileprivate func fill() async throws {
        for number in 0..<200 { try await set(Self.secret, for: "\(number)") }
    }
}

extension CacheDirectory {
    fileprivate func expectNothingOfTheSecret() throws {
        #expect(try contents.range(of: Data(SQLiteCache.secret)) == nil)
    }

    /// Lets an account without privileges create files in the directory.
    fileprivate func openToAll() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate init(_ body: () async throws -> Void) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var cacheCode: CacheError.Code? {
        if case .failure(let error as CacheError) = self { error.code } else { nil }
    }
}
#endif
