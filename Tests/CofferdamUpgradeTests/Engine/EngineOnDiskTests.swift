#if SQLite
import Cofferdam
import CofferdamTesting
import Foundation
import GRDB
import Testing
import UpgradeTestSupport

@testable import CofferdamGate
@testable import CofferdamUpgrade

/// An engine with its store and evidence in one directory, as in an app.
@Suite struct EngineOnDiskTests {
    private let clock = TestClock()

    private struct App {
        let store: FileUpgradeStore
        let recorder: EvidenceRecorder
        let control: StageControl
        let engine: UpgradeEngine
    }

    private func app(_ folder: UpgradeFolder) throws -> App {
        let (store, plan) = (try folder.store(), try Readings.plan())
        let (recorder, control) = (EvidenceRecorder(clock: clock, now: { 9_000 }), StageControl())
        let engine = UpgradeEngine("a", plan: plan, store: store, control: control, recorder: recorder) {
            $0.ledger = store.log
            $0.log = store.log
            $0.clock = clock
            $0.now = { 9_000 }
        }
        return App(store: store, recorder: recorder, control: control, engine: engine)
    }

    private func raise(_ store: FileUpgradeStore, to stage: Stage) async throws {
        let plan = try Readings.plan()
        while try await store.read("a")?.state.stage != stage {
            let request = Requests.request(.advance(despiteGate: true), id: UpgradeEngine.randomID())
            _ = try await store.carryOut(request, for: "a", plan: plan)
        }
    }

    private func call(_ units: Range<Int>, _ app: App, fail: Bool = false) {
        for unit in units {
            app.recorder.called(
                RoutedCall(
                    capability: "a",
                    operation: "o",
                    stage: app.control.state.stage,
                    epoch: app.control.state.epoch,
                    unit: "u\(unit)",
                    side: .candidate,
                    role: .first,
                    outcome: fail ? .failed(.failed, kind: "k") : .answered,
                    duration: .zero
                )
            )
        }
    }

    @Test func `what was counted until a second ago is there after a restart`() async throws {
        try await UpgradeFolder.with { folder in
            let all = Metric.candidateFailures.includingOpenWindows
            let first = try app(folder)
            try await raise(first.store, to: .candidateWithFallback)
            await first.engine.start()
            let work = Task { try await first.engine.run() }
            while clock.sleeperCount == 0 { await Task.yield() }
            call(0..<50, first)
            clock.advance(by: .seconds(1))
            let beginning = try await first.store.read("a")?.state.beginning
            let key = first.recorder.key(of: .candidateWithFallback, since: beginning)
            while try await first.store.log.counts(of: "a", under: key)?.operations.isEmpty ?? true {
                await Task.yield()
            }
            call(50..<60, first, fail: true)
            // The next process starts while this one has not ended, as after a kill.
            let second = try app(folder)
            await second.engine.start()
            #expect(
                second.recorder.reading(afterSeconds: 1).metrics[all] == FailureCounts(0, of: 50)
            )
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
            let third = try app(folder)
            await third.engine.start()
            #expect(third.recorder.reading(afterSeconds: 1).metrics[all] == FailureCounts(10, of: 60))
        }
    }

    @Test func `a change by a person begins a new epoch, and the old counts are gone`() async throws {
        try await UpgradeFolder.with { folder in
            let app = try app(folder)
            try await raise(app.store, to: .candidateWithFallback)
            await app.engine.start()
            call(0..<50, app, fail: true)
            // What the ledger does not have is not in a reading.
            await app.engine.save()
            await app.engine.note()
            try await app.engine.abort(by: "amara", reason: "a test")
            try await raise(app.store, to: .candidateWithFallback)
            await app.engine.refresh()
            let reading = app.recorder.reading(afterSeconds: 1)
            #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 0))
            #expect(reading.epoch == app.control.state.epoch)
            let snapshots = try await app.store.log.snapshots(of: "a", epoch: nil, last: 10)
            #expect(snapshots.map { $0.reading.metrics[.candidateFailures] } == [FailureCounts(50, of: 50)])
        }
    }

    @Test func `a database of another application or a newer version is refused`() async throws {
        try await UpgradeFolder.with { folder in
            for change in ["PRAGMA application_id = 5", "INSERT INTO grdb_migrations VALUES ('from the future')"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path + "/\(change.count)",
                    withIntermediateDirectories: true
                )
                let path = folder.path + "/\(change.count)/upgrade.sqlite"
                _ = try SQLiteUpgradeLog(path: path)
                let database = try DatabaseQueue(path: path)
                try await database.writeWithoutTransaction { try $0.execute(sql: change) }
                try database.close()
                let error = #expect(throws: UpgradeStoreError.self) { try SQLiteUpgradeLog(path: path) }
                #expect(error?.code == .unreadable)
                #expect(error?.subject == path)
            }
        }
    }
}
#endif
