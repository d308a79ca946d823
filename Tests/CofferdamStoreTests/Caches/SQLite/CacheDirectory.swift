#if SQLite
import CofferdamStore
import Foundation
import GRDB
import Testing
import TestSupport

/// A directory for one test's files.
struct CacheDirectory {
    private let url = FileManager.default.temporaryDirectory.appending(path: "caches-\(UUID())")
    /// The file of the cache, for tests with only one.
    var file: String { url.appending(path: "cache.sqlite").path }
    var path: String { url.path }

    static func with(_ body: (CacheDirectory) async throws -> Void) async throws {
        let directory = CacheDirectory()
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(directory)) } catch { result = .failure(error) }
        removeFolder(directory.path)
        try result.get()
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// The contents of all files.
    var contents: Data {
        get throws { try names.reduce(into: Data()) { $0 += try Data(contentsOf: url.appending(path: $1)) } }
    }

    /// Opens the cache, and closes it after `body`.
    func withCache(
        _ configuration: SQLiteCacheConfiguration = SQLiteCacheConfiguration(),
        _ body: (SQLiteCache) async throws -> Void
    ) async throws {
        let cache = try SQLiteCache(path: file, configuration: configuration)
        try await body(cache)
        try await cache.close()
    }

    /// Accesses the file without the cache's knowledge.
    func withDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let database = try DatabaseQueue(path: file)
        let value = try database.writeWithoutTransaction(body)
        try database.close()
        return value
    }
}

extension Result where Success == SQLiteCache, Failure == any Error {
    /// The error code of opening the cache; nil if it opens.
    var refusal: CacheError.Code? {
        if case .failure(let error as CacheError) = self { error.code } else { nil }
    }
}
#endif
