#if SQLite
import CofferdamStore
import Foundation
import Testing

@Suite struct SQLiteCacheUserTests {
    /// Names of different users.
    static let users = [
        "", ".", "..", "/", "../../etc/passwd", "a/b", "a_b", "a_2fb", "a b", "a", "A", "Amara", "amara", "amara\0",
        "é",
        "e", "user-a.sqlite", "file:a?mode=ro", "名前", "🐘", "CON", "nul.txt", "-rf", "~", "$HOME", "a'b\"c", "a\nb",
        String(repeating: "x", count: 120), String(repeating: "x", count: 121),
        String(repeating: "x", count: 10_000),
        String(repeating: "x", count: 9_999) + "y", String(repeating: "🐘", count: 500),
    ]

    @Test func `each user has a separate file`() async throws {
        try await CacheDirectory.with { directory in
            let caches = directory.path + "/caches"
            for (index, user) in Self.users.enumerated() {
                let cache = try SQLiteCache(user: user, in: caches)
                #expect(try await cache.bytes(for: "whose") == nil, "\(user.debugDescription)")
                try await cache.set([UInt8(index)], for: "whose")
                try await cache.close()
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: caches)
            #expect(Set(names.map { $0.lowercased() }).count == Self.users.count, "also where case does not count")
            #expect(names.allSatisfy { $0.utf8.count < 200 && $0.utf8.allSatisfy { $0 < 0x80 } })
            #expect(try directory.names == ["caches"])
            for (index, user) in Self.users.enumerated() {
                let cache = try SQLiteCache(user: user, in: caches)
                #expect(try await cache.bytes(for: "whose") == [UInt8(index)], "\(user.debugDescription)")
            }
        }
    }

    @Test func `equal strings are the same user`() async throws {
        try await CacheDirectory.with { directory in
            try await SQLiteCache(user: "\u{e9}", in: directory.path).set([1], for: "a")
            #expect(try await SQLiteCache(user: "e\u{301}", in: directory.path).bytes(for: "a") == [1])
        }
    }

    @Test func `a file that holds another user's entries is refused, and stays as it is`() async throws {
        try await CacheDirectory.with { directory in
            let cache = try SQLiteCache(user: "amara", in: directory.path)
            try await cache.set([1], for: "a")
            try await cache.close()
            let before = try directory.contents
            try FileManager.default.moveItem(
                atPath: directory.path + "/user-amara.sqlite",
                toPath: directory.path + "/user-bo.sqlite"
            )
            #expect(Result { try SQLiteCache(user: "bo", in: directory.path) }.refusal == .otherUser)
            #expect(try directory.contents == before)
        }
    }

    @Test func `the directory is for this account alone`() async throws {
        try await CacheDirectory.with { directory in
            let caches = directory.path + "/a/b"
            _ = try SQLiteCache(user: "amara", in: caches)
            let attributes = try FileManager.default.attributesOfItem(atPath: caches)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `a directory that cannot be created is an error that names it`() async throws {
        try await CacheDirectory.with { directory in
            try Data().write(to: URL(filePath: directory.file))
            let error = #expect(throws: CacheError.self) { try SQLiteCache(user: "amara", in: directory.file) }
            #expect(error?.code == .file)
            #expect(error?.subject == directory.file)
        }
    }

    @Test func `removing all leaves nothing of one user on the disk, and all of the others`() async throws {
        try await CacheDirectory.with { directory in
            let (amara, bo) = (
                try SQLiteCache(user: "amara", in: directory.path), try SQLiteCache(user: "bo", in: directory.path)
            )
            let secret = Array("not to be read".utf8)
            let others = Array("still there".utf8)
            for number in 0..<50 { try await amara.set(secret, for: "the key of \(number)") }
            try await bo.set(others, for: "b")
            #expect(try directory.contents.range(of: Data(secret)) != nil)
            try await amara.removeAll()
            #expect(try directory.contents.range(of: Data(secret)) == nil)
            #expect(try directory.contents.range(of: Data("the key of".utf8)) == nil)
            #expect(try await bo.bytes(for: "b") == others)
            try await amara.set([1], for: "a")
            #expect(try await amara.bytes(for: "a") == [1])
        }
    }
}
#endif
