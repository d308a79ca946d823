#if SQLite
import CofferdamTesting
import Foundation
import GRDB
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// An upgrade in progress survives an update of the app: same stage, new epoch.
@Suite struct CountingMigrationTests {
    private let clock = TestClock()

    /// The state as the previous version wrote it.
    private static let state = """
        {
          "format" : 1, "isKillFileCurrent" : true, "revision" : 7,
          "last" : {
            "after" : {"attempt" : 2, "epoch" : 6, "stage" : "canary(500)"},
            "before" : {"attempt" : 2, "epoch" : 5, "stage" : "shadow(10000)"}, "capability" : "a",
            "request" : {"action" : {"advance" : {"despiteGate" : true}}, "at" : 5000, "by" : "amara", "id" : "e7", "reason" : "sure"}
          },
          "state" : {
            "attempt" : 2, "capability" : "a", "entry" : "e7", "epoch" : 6, "overrides" : {}, "since" : 5,
            "stage" : "canary(500)"
          }
        }
        """

    /// Creates the tables of the previous version.
    private func makeOldDatabase(at path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('log, snapshots and evidence'), ('units that have written');
                    CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL,
                        id BLOB NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (capability, id));
                    CREATE TABLE snapshot (number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL,
                        epoch INTEGER NOT NULL, at INTEGER NOT NULL, bytes BLOB NOT NULL);
                    CREATE INDEX snapshotOfCapability ON snapshot (capability, number);
                    CREATE TABLE evidence (capability BLOB NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, bytes BLOB NOT NULL);
                    CREATE TABLE unit (number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL,
                        tally TEXT NOT NULL, key INTEGER NOT NULL, calls INTEGER NOT NULL, worst BLOB,
                        UNIQUE (capability, tally, key));
                    CREATE TABLE duration (capability BLOB NOT NULL, slot INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
                        PRIMARY KEY (capability, slot)) WITHOUT ROWID;
                    CREATE TABLE writer (capability BLOB NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (capability, key))
                        WITHOUT ROWID;
                    INSERT INTO evidence VALUES (x'61', 6, '{"old": true}');
                    INSERT INTO unit (capability, tally, key, calls) VALUES (x'61', 'candidate', 1, 1);
                    INSERT INTO snapshot (capability, epoch, at, bytes) VALUES (x'61', 6, 5000, '{"capability":"a","at":5000,"outcomes":{"counts":{}},"reading":{"stage":"canary(500)","epoch":6,"seconds":1,"metrics":{"slow":{"failures":1,"total":2}}}}');
                    INSERT INTO writer VALUES (x'61', 5);
                    PRAGMA application_id = \(UpgradeLogLayout.applicationID);
                    """
            )
        }
        try database.close()
    }

    private func engine(_ store: FileUpgradeStore, _ recorder: EvidenceRecorder, _ control: StageControl) throws
        -> UpgradeEngine
    {
        UpgradeEngine("a", plan: try Readings.plan(), store: store, control: control, recorder: recorder) {
            $0.ledger = store.log
            $0.log = store.log
            $0.clock = clock
            $0.now = { 90_000 }
        }
    }

    @Test func `the stage stays, the epoch is new, and the log says why`() async throws {
        try await UpgradeFolder.with { folder in
            try FileManager.default.createDirectory(atPath: folder.path + "/a", withIntermediateDirectories: true)
            try Data(Self.state.utf8).write(to: URL(filePath: folder.path + "/a/state.json"))
            try makeOldDatabase(at: folder.path + "/upgrade.sqlite")
            let (store, control) = (try folder.store(), StageControl())
            let recorder = EvidenceRecorder(clock: clock)
            let status = try await engine(store, recorder, control).start()
            #expect(control.state.stage == .canary(share: 500))
            #expect(status.stored?.epoch == 7 && status.stored?.attempt == 2 && status.stored?.since == 90)
            #expect(status.stored?.countsAsNow == true)
            let history = try await store.history(of: "a", last: 9)
            #expect(history.map(\.request.action.name) == ["recount", "advance"])
            #expect(try await store.log.snapshots(of: "a", epoch: 6, last: 9).count == 1, "what was shown stays")
            #expect(recorder.reading(afterSeconds: 1).epoch == 7)
            // The second start changes nothing.
            let again = try await engine(store, EvidenceRecorder(clock: clock), StageControl()).start()
            #expect(again.stored?.epoch == 7)
        }
    }

    @Test func `a version that is older than the rules of the epoch follows, and decides nothing`() async throws {
        let bench = try EngineBench()
        try await bench.raise(to: .canary(share: 500))
        var later = try #require(try await bench.store.read(EngineBench.capability))
        later.state.counting = EpochKey.currentCounting + 1
        bench.store.set(.answers(later))
        let engine = bench.engine {
            $0.settings.promotesAutomatically = true
            $0.evidence = EngineBench.FixedEvidence { _ in }
        }
        let status = await engine.start()
        #expect(status.stage == .canary(share: 500))
        #expect(
            status.notes == ["a newer version of the kit counts at this stage: it decides, and this one only follows"]
        )
        #expect(await engine.decide() == nil)
        let request = Requests.request(.recount, id: "1")
        let error = #expect(throws: UpgradeRefusal.self) { try later.applying(request, plan: Readings.plan()) }
        #expect(error?.code == .alreadyThere)
        #expect(try await bench.store.memory.read(EngineBench.capability)?.state.epoch == later.state.epoch)
    }

    @Test func `an older state, read in any other way, is the same except for what is new`() throws {
        let json = try #require(Self.state.firstRange(of: #""state" : "#).map { Self.state[$0.upperBound...] })
        let text = String(json.prefix { $0 != "}" }) + "}"  // its overrides
        #expect(text.contains("overrides"))
        var old = UpgradeState(capability: "a", since: 5)
        old.stage = .canary(share: 500)
        old.counting = nil
        #expect(!old.countsAsNow)
        old.stage = .legacyOnly
        #expect(old.countsAsNow, "nothing is decided there from what was counted")
    }
}
#endif
