#if SQLite
import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import GRDB
import Testing
import UpgradeTestSupport

/// A database with evidence of an earlier version, which had texts in place of marks, goes on.
@Suite struct EarlierLayoutTests {
    private static let stage = Stage.candidateWithFallback
    private let stored = Requests.stored(at: stage) { ($0.state.capability, $0.state.epoch) = ("a", 3) }.state
    private static let settled = UnitKey.key(of: "settled")
    private static let open = UnitKey.key(of: "open")

    /// Two units called once: one is settled, and the other failed and got an answer in an open window.
    private static let counts = """
        {
          "counts" : {
            "candidate" : {
              "" : {"begun" : {"" : 1, "answer=gone\\u001ffailed" : 1}, "settled" : {"" : 1}},
              "o" : {"begun" : {"" : 1, "answer=gone\\u001ffailed" : 1}, "settled" : {"" : 1}}
            }
          },
          "epoch" : 3, "operations" : ["o"], "reads" : ["o"], "series" : "s", "timed" : 0,
          "key" : {
            "binary" : "", "comparison" : "", "expectations" : {}, "margin" : 0.001,
            "stage" : "candidateWithFallback", "window" : 600
          },
          "openings" : {"failures" : 0, "total" : 1}
        }
        """

    private func call(_ unit: String, _ recorder: EvidenceRecorder, fails: Bool) {
        recorder.called(
            RoutedCall(
                capability: "a",
                operation: "o",
                stage: Self.stage,
                epoch: 3,
                unit: unit,
                side: .candidate,
                role: .first,
                outcome: fails ? .failed(.failed, kind: "k") : .answered,
                duration: .milliseconds(1)
            )
        )
    }

    /// Gives the file the tables of the earlier version.
    private func makeEarlier(_ path: String, counts: String) async throws {
        _ = try await SQLiteUpgradeLog(path: path).newestEpoch(of: "a")
        let database = try DatabaseQueue(path: path)
        try await database.write { database in
            try database.execute(
                sql: """
                    DROP TABLE settledRow;
                    DROP TABLE openRow;
                    DELETE FROM grdb_migrations WHERE identifier = 'evidence as rows';
                    CREATE TABLE settledUnit (
                        count INTEGER NOT NULL, tally TEXT NOT NULL, unit INTEGER NOT NULL,
                        operations INTEGER NOT NULL, PRIMARY KEY (count, tally, unit)
                    ) WITHOUT ROWID;
                    CREATE TABLE openWindow (
                        count INTEGER NOT NULL, tally TEXT NOT NULL, unit INTEGER NOT NULL, place INTEGER NOT NULL,
                        began INTEGER NOT NULL, outcome BLOB NOT NULL, PRIMARY KEY (count, tally, unit, place)
                    ) WITHOUT ROWID;
                    CREATE TABLE timedCall (
                        count INTEGER NOT NULL, operation BLOB NOT NULL, slot INTEGER NOT NULL,
                        nanoseconds INTEGER NOT NULL, PRIMARY KEY (count, operation, slot)
                    ) WITHOUT ROWID;
                    """
            )
            try database.execute(
                sql: "INSERT INTO counting (id, capability, epoch, bytes) VALUES (1, ?, 3, ?)",
                arguments: [Data("a".utf8), Data(counts.utf8)]
            )
            try database.execute(
                sql: "INSERT INTO settledUnit VALUES (1, 'candidate', ?, ?)",
                arguments: [Int64(bitPattern: Self.settled), Int64(bitPattern: 1 << 63 | 1)]
            )
            for place in [0, 63] {
                try database.execute(
                    sql: "INSERT INTO openWindow VALUES (1, 'candidate', ?, ?, 0, ?)",
                    arguments: [Int64(bitPattern: Self.open), place, Data("answer=gone\u{1F}failed".utf8)]
                )
            }
        }
        try database.close()
    }

    @Test func `durations in a database of an earlier version go on as a histogram`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/log.sqlite"
            try await makeEarlier(path, counts: Self.counts)
            let database = try DatabaseQueue(path: path)
            try await database.write { database in
                for slot in 0..<3 {
                    try database.execute(
                        sql: "INSERT INTO timedCall VALUES (1, ?, ?, 1000000)",
                        arguments: [Data("o".utf8), slot]
                    )
                }
            }
            try database.close()
            let log = try SQLiteUpgradeLog(path: path)
            let durations = try await log.builds(of: "a", epoch: 3).first?.durations["o"]
            #expect(durations?.buckets == [LatencyHistogram.rounded(1_000_000): 3])
        }
    }

    @Test func `a database goes on: settled units stand, and open windows keep their marks`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/log.sqlite"
            try await makeEarlier(path, counts: Self.counts)
            let log = try SQLiteUpgradeLog(path: path)
            let recorder = EvidenceRecorder(
                StageState(stage: Self.stage, epoch: 3),
                key: { EpochKey(stage: $0) },
                now: { 300_000 }
            )
            try await recorder.resume(from: log, at: stored)
            func metrics() -> [Metric: FailureCounts] { recorder.reading(afterSeconds: 1).metrics }
            let before = metrics()
            #expect(before[.candidateFailures.includingOpenWindows] == FailureCounts(1, of: 2))
            #expect(before[.candidateAnswers("gone")] == FailureCounts(1, of: 2))
            #expect(before[.openings] == FailureCounts(0, of: 1))
            call("settled", recorder, fails: true)
            call("open", recorder, fails: false)
            try await recorder.merge(into: log, of: "a")
            #expect(metrics() == before)
            call("new", recorder, fails: true)
            try await recorder.merge(into: log, of: "a")
            #expect(metrics()[.candidateFailures.includingOpenWindows] == FailureCounts(2, of: 3))
        }
    }

    @Test func `a loss that an earlier version recorded still counts, under its present name`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/log.sqlite"
            try await makeEarlier(path, counts: "{\"hasLost\": true, " + Self.counts.dropFirst())
            let counts = try #require(try await SQLiteUpgradeLog(path: path).builds(of: "a", epoch: 3).first)
            #expect(counts.lacksUnits)
            let written = String(decoding: try JSONEncoder().encode(counts), as: UTF8.self)
            #expect(written.contains("\"lacksUnits\":true") && !written.contains("hasLost"))
        }
    }

    @Test func `a database whose counts cannot be read is refused, and the error says what to do`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/log.sqlite"
            try await makeEarlier(path, counts: #"{"old": true}"#)
            let error = #expect(throws: UpgradeStoreError.self) { try SQLiteUpgradeLog(path: path) }
            #expect(error.map { "\($0)".contains("remove the file") } == true)
        }
    }
}
#endif
