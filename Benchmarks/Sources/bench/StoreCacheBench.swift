import CofferdamStore
import Foundation
import GRDB
import Synchronization

/// Compares the cache on disk with plain GRDB, which writes the same rows in the same transactions.
struct StoreCacheBench {
    /// The number of models on disk.
    let size: Int
    private let clock = ContinuousClock()
    private let directory = FileManager.default.temporaryDirectory.appending(path: "bench-cache-\(UUID())")

    init(size: Int) { self.size = size }

    func run() async throws -> [Measurement] {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let rows = await Result { [try await firstModel()] + (try await writes()) }
        try FileManager.default.removeItem(at: directory)
        return try rows.get()
    }

    /// Measures from a cold start until a listener has one of the models, none of which is in memory.
    private func firstModel() async throws -> Measurement {
        let path = directory.appending(path: "first.sqlite").path
        let cache = try SQLiteCache(path: path)
        let encoder = JSONEncoder()
        for start in stride(from: 0, to: size, by: 1000) {
            try await cache.set(
                (start..<min(size, start + 1000)).map { id in
                    ModelCacheEntry("animal/\(id)", [UInt8](try encoder.encode(CachedAnimal(id: id))))
                }
            )
        }
        try await cache.close()
        var samples: [Double] = []
        for round in 0...20 {
            let id = (round &* 7919) % size
            try forget(path)
            let start = clock.now
            let cache = try SQLiteCache(path: path)
            let bytes = try await cache.bytes(for: "animal/\(id)")
            let store = Store()
            let isDelivered = Atomic(false)
            store.set(try JSONDecoder().decode(CachedAnimal.self, from: Data(bytes ?? [])))
            let token = store.listen(CachedAnimal.self, id: id) { event in
                if event.value != nil { isDelivered.store(true, ordering: .relaxed) }
            }
            let time = (clock.now - start).seconds * 1e6
            token.cancel()
            guard isDelivered.load(ordering: .relaxed) else { throw BenchFailure("the model is not there") }
            try await cache.close()
            // The first decodes also load the decoder.
            if round > 0 { samples.append(time) }
        }
        return Measurement(
            name: "cache.firstModel",
            value: Measurement.median(samples),
            unit: "us",
            base: "",
            ratio: 1,
            samples: samples.count
        )
    }

    /// Measures models written per second, and the ratio to plain GRDB.
    private func writes() async throws -> [Measurement] {
        let models = (0..<min(size, 20_000)).map { id in (key: "animal/\(id)", bytes: [UInt8](repeating: 7, count: 200))
        }
        return [
            try await compared("cache.write", "GRDB, 100 in a transaction", models.count) { round in
                let cache = try cache(round)
                for start in stride(from: 0, to: models.count, by: 100) {
                    let batch = models[start..<min(models.count, start + 100)]
                    try await cache.set(batch.map { ModelCacheEntry($0.key, $0.bytes) })
                }
                try await cache.close()
            } theirs: { round in
                let database = try plain(round)
                for start in stride(from: 0, to: models.count, by: 100) {
                    let batch = models[start..<min(models.count, start + 100)]
                    try await database.write { database in
                        for model in batch { try database.put(model.key, model.bytes) }
                    }
                }
                try database.close()
            },
            try await compared("cache.writeSingle", "GRDB, 64 tasks", models.count) { round in
                let cache = try cache(round)
                try await each(models) { try await cache.set($0.bytes, for: $0.key) }
                try await cache.close()
            } theirs: { round in
                let database = try plain(round)
                try await each(models) { model in
                    try await database.write { try $0.put(model.key, model.bytes) }
                }
                try database.close()
            },
        ]
    }

    /// In 64 tasks.
    private func each<Element: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<64 {
                group.addTask {
                    for index in stride(from: first, to: elements.count, by: 64) { try await body(elements[index]) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func compared(
        _ name: String,
        _ base: String,
        _ count: Int,
        ours: (Int) async throws -> Void,
        theirs: (Int) async throws -> Void
    ) async throws -> Measurement {
        var (own, other): ([Double], [Double]) = ([], [])
        for round in 0...10 {
            if round.isMultiple(of: 2) { other.append(try await time { try await theirs(round) }) }
            own.append(try await time { try await ours(round) })
            if !round.isMultiple(of: 2) { other.append(try await time { try await theirs(round) }) }
        }
        // The measurement with the least interference.
        let (ownTime, otherTime) = (Measurement.minimum(own), Measurement.minimum(other))
        return Measurement(
            name: name,
            value: Double(count) / ownTime,
            unit: "models/s",
            base: base,
            ratio: otherTime / ownTime,
            samples: own.count
        )
    }

    private func time(_ body: () async throws -> Void) async throws -> Double {
        let start = clock.now
        try await body()
        return (clock.now - start).seconds
    }

    private func cache(_ round: Int) throws -> SQLiteCache {
        try SQLiteCache(path: directory.appending(path: "ours-\(round)-\(UUID()).sqlite").path)
    }

    private func plain(_ round: Int) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let path = directory.appending(path: "theirs-\(round)-\(UUID()).sqlite").path
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write {
            try $0.execute(sql: "CREATE TABLE entry (key TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL)")
        }
        return database
    }

    /// Drops the file from the system's cache.
    private func forget(_ path: String) throws {
        #if canImport(Glibc)
        let file = open(path, O_RDONLY)
        guard file >= 0, fsync(file) == 0, posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, close(file) == 0
        else {
            throw BenchFailure("the system does not forget \(path)")
        }
        #endif
    }
}

private struct CachedAnimal: StoreModel, Codable {
    var id: Int
    var name = "an animal of the sanctuary"
    var species = "Loxodonta africana"
    var weight = 4_120.5
    var keepers = ["Amara", "Bo", "Chidi"]
}

private struct BenchFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Database {
    fileprivate func put(_ key: String, _ bytes: [UInt8]) throws {
        try cachedStatement(sql: "INSERT OR REPLACE INTO entry (key, bytes) VALUES (?, ?)")
            .execute(arguments: [key, Data(bytes)])
    }
}
