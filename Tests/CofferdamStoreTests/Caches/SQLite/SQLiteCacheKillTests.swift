#if SQLite
import Cofferdam
import CofferdamSupport
import CofferdamStore
import Foundation
import Testing
import TestSupport

/// Kills a process while it opens, migrates and writes. Everything that it acknowledged must be there, and no
/// partial writes.
@Suite(.serialized) struct SQLiteCacheKillTests {
    @Test func `killed at any moment, it has every write that has returned, and no half batch`() async throws {
        var dice = Dice(seed: Soak.number("COFFERDAM_SOAK_SEED", default: 1))
        try await CacheDirectory.with { directory in
            for round in 1...Int(Soak.number("COFFERDAM_SOAK_KILLS", default: 200)) {
                let seed = dice.next()
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = directory.path as String, round = round as Int, seed = seed as UInt64] in
                    await KilledWriter(directory: path, round: round, seed: seed).run()
                }
                try await KilledWriter(directory: directory.path, round: round, seed: seed).check()
                try #require(directory.names.allSatisfy { !$0.contains("damaged") }, "round \(round), seed \(seed)")
            }
        }
    }
}

/// Concurrent writers that count, each with its own keys, and note each number once it is written.
private struct KilledWriter: Sendable {
    /// The writers: one writes single keys, the others write batches.
    private static let writers = 0..<3
    let directory: String
    let round: Int
    let seed: UInt64

    /// Never returns.
    func run() async {
        let died = AsyncStream<Never>.makeStream()
        do {
            var dice = Dice(seed: seed)
            let killer = Killer(
                in: directory,
                after: dice.roll(4) == 0 ? 0 : dice.roll(40),
                spins: dice.roll(200_000)
            )
            killer.start()
            let cache = try SQLiteCache(path: directory + "/cache.sqlite", configuration: configuration())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in Self.writers {
                    group.addTask { try await write(writer, to: cache, killer) }
                }
                try await group.waitForAll()
            }
        } catch {
            print("round \(round), seed \(seed): \(error)")
            exit(1)
        }
        for await _ in died.stream {}
    }

    private func write(_ writer: Int, to cache: SQLiteCache, _ killer: Killer) async throws {
        var dice = Dice(seed: seed &+ UInt64(writer))
        let notes = try Notes(path: notesPath(writer))
        var number = try Notes.last(path: notesPath(writer))
        while true {
            number += 1
            let bytes = entry(number, length: dice.roll(20_000))
            try await cache.set(keys(writer).map { ModelCacheEntry($0, bytes) })
            notes.add(number)
            killer.count()
        }
    }

    /// Checks the cache in a new process.
    func check() async throws {
        let damaged = Log<CacheError>()
        var configuration = configuration()
        configuration.onDamage = damaged.add
        let cache = try SQLiteCache(path: directory + "/cache.sqlite", configuration: configuration)
        for writer in Self.writers {
            let found = try await cache.bytes(for: keys(writer))
            let noted = try Notes.last(path: notesPath(writer))
            let place = "round \(round), seed \(seed), writer \(writer), noted \(noted)"
            guard let first = found.values.first else {
                try #require(noted == 0, "nothing is there: \(place)")
                continue
            }
            try #require(found.count == keys(writer).count, "half a batch: \(place)")
            try #require(found.values.allSatisfy { $0 == first }, "two batches: \(place)")
            let number = try #require(self.number(first), "an entry of two formats: \(place)")
            try #require(number == noted || number == noted + 1, "\(number) is there: \(place)")
            // This is now the last number written.
            try Notes(path: notesPath(writer)).add(number)
        }
        try await cache.close()
        try #require(damaged.entries.isEmpty)
    }

    /// Each round has its own format, which its entries contain.
    private func configuration() -> SQLiteCacheConfiguration {
        .defaults {
            $0.formatVersion = round
            $0.maximumBytes = 10 << 20
            $0.migrate = { bytes, _, _ in Self.format(round) + bytes.dropFirst(8) }
        }
    }

    private func keys(_ writer: Int) -> [String] { (0..<(writer == 0 ? 1 : 8)).map { "\(writer).\($0)" } }
    private func notesPath(_ writer: Int) -> String { directory + "/notes.\(writer)" }

    private func entry(_ number: UInt64, length: Int) -> [UInt8] {
        Self.format(round) + Notes.bytes(number)
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
    }

    private func number(_ bytes: [UInt8]) -> UInt64? {
        guard bytes.count >= 16, bytes.starts(with: Self.format(round)) else { return nil }
        let number = Notes.number(bytes[8..<16])
        return bytes[16...].allSatisfy { $0 == UInt8(truncatingIfNeeded: number) } ? number : nil
    }

    private static func format(_ round: Int) -> [UInt8] { Notes.bytes(UInt64(round)) }
}

/// Numbers appended to a file without buffering, so that they survive when the process is killed.
private final class Notes: Sendable {
    private let file: Int32

    init(path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
    }

    deinit { close(file) }

    func add(_ number: UInt64) {
        let bytes = Self.bytes(number)
        guard write(file, bytes, bytes.count) == bytes.count else { exit(2) }
    }

    /// Returns the last number; 0 if there is none.
    static func last(path: String) throws -> UInt64 {
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        return number(try Data(contentsOf: URL(filePath: path)).suffix(8))
    }

    static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
#endif
