#if SQLite
    import CofferdamStore
    import Foundation
    import Testing

    @Suite struct SQLiteCacheTests {
        private func withFile(_ body: (String) async throws -> Void) async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID()).sqlite")
            defer {
                for suffix in ["", "-journal", "-wal", "-shm"] {
                    let path = file.path + suffix
                    guard FileManager.default.fileExists(atPath: path) else { continue }
                    do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
                }
            }
            try await body(file.path)
        }

        @Test func `a cache in memory keeps bytes by key`() async throws {
            try await checkCache(try SQLiteCache(path: nil))
        }

        @Test func `a cache on disk keeps bytes by key`() async throws {
            try await withFile { try await checkCache(try SQLiteCache(path: $0)) }
        }

        @Test func `what was kept is there when the file is opened again`() async throws {
            try await withFile { path in
                try await SQLiteCache(path: path).set([1, 2, 3], for: "a")
                #expect(try await SQLiteCache(path: path).bytes(for: "a") == [1, 2, 3])
            }
        }

        @Test func `a file that is no database is an error, and stays as it was`() async throws {
            try await withFile { path in
                let bytes = Data(String(repeating: "no database ", count: 200).utf8)
                try bytes.write(to: URL(filePath: path))
                #expect(throws: (any Error).self) { try SQLiteCache(path: path) }
                #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
            }
        }
    }
#endif
