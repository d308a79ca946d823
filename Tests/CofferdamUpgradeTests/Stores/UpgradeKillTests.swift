#if SQLite
import Cofferdam
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// A process is killed while it changes upgrades and counts. Every transition that it acknowledged is stored and in
/// the log, and the counters keep everything that was saved.
@Suite(.serialized) struct UpgradeKillTests {
    @Test func `killed at any moment, it has every transition, every line, and every count that was saved`()
        async throws
    {
        let rounds = ProcessInfo.processInfo.environment["COFFERDAM_SOAK_KILLS"].flatMap(Int.init) ?? 25
        try await UpgradeFolder.with { folder in
            for round in 1...rounds {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [path = folder.path as String, round = round as Int] in
                    await KilledUpgrade(path: path, round: round).run()
                }
                try await KilledUpgrade(path: folder.path, round: round).check()
            }
        }
    }
}

/// One task changes the upgrade, and notes each change once it is acknowledged; another one counts units, and notes
/// how many are saved.
private struct KilledUpgrade: Sendable {
    let path: String
    let round: Int

    private var stored: UpgradeState {
        var state = UpgradeState(capability: "counted", since: 0)
        (state.stage, state.epoch) = (.candidateWithFallback, 1)
        return state
    }

    /// Never returns.
    func run() async {
        do {
            let store = FileUpgradeStore(directory: path)
            let killer = Killer(in: path, after: 1 + round * 7 % 12, spins: round * 7_919 % 60_000)
            killer.start()
            try await withThrowingTaskGroup { group in
                group.addTask { try await change(store, killer) }
                group.addTask { try await count(store.log, killer) }
                try await group.waitForAll()
            }
        } catch {
            print("round \(round): \(error)")
            exit(1)
        }
    }

    private func change(_ store: FileUpgradeStore, _ killer: Killer) async throws {
        let plan = try Readings.plan()
        let notes = try Notes(path + "/changes")
        while true {
            let number = try Notes.last(path + "/changes") + 1
            // In turn, so that each action is allowed, and each kind of file is written.
            let action: UpgradeAction =
                switch number % 4 {
                case 1: .kill(.legacy)
                case 2: .resume
                case 3: .advance()
                default: .abort
                }
            _ = try await store.carryOut(Requests.request(action, id: "\(number)"), for: "a", plan: plan)
            try notes.add(number)
            killer.count()
        }
    }

    private func count(_ log: SQLiteUpgradeLog, _ killer: Killer) async throws {
        let recorder = EvidenceRecorder()
        try await recorder.resume(from: log, at: stored)
        let notes = try Notes(path + "/counts")
        var number = try Notes.last(path + "/counts")
        while true {
            // A unit that was counted earlier does not count again, killed or not.
            for unit in max(0, number - 5)..<(number + 10) { recorder.called(call(of: "u\(unit)")) }
            number += 10
            try await recorder.merge(into: log, of: "counted")
            try notes.add(number)
            killer.count()
        }
    }

    private func call(of unit: String) -> RoutedCall {
        RoutedCall(
            capability: "counted",
            operation: "o",
            stage: stored.stage,
            epoch: stored.epoch,
            unit: unit,
            side: .candidate,
            role: .first,
            outcome: .answered,
            duration: .zero
        )
    }

    /// Checks what a new process finds.
    func check() async throws {
        let store = FileUpgradeStore(directory: path)
        let noted = try Notes.last(path + "/changes")
        let state = try await store.read("a")
        let lines = try await store.history(of: "a", last: .max)
        let place = "round \(round), noted \(noted)"
        let revision = Int(state?.revision ?? 0)
        try #require((noted...noted + 1).contains(revision), "revision \(revision): \(place)")
        let ids: [String] = lines.reversed().map(\.id)
        let expected: [String] = (0..<revision).map { number in String(number + 1) }
        try #require(ids == expected, "the log: \(place)")
        let (line, last) = (lines.first, state.map(AuditEntry.Position.init))
        try #require(state?.state.entry == line?.id && line?.after == last, "the last line: \(place)")
        if noted < revision {
            let notes = try Notes(path + "/changes")
            try notes.add(revision)
        }

        let saved = try Notes.last(path + "/counts")
        let recorder = EvidenceRecorder()
        let key = recorder.key(of: stored.stage, since: stored.beginning)
        guard try await store.log.counts(of: "counted", under: key) != nil else {
            try #require(saved == 0, "no counts: \(place)")
            return
        }
        try await recorder.resume(from: store.log, at: stored)
        let all = Metric.candidateFailures.includingOpenWindows
        let counted = recorder.reading(afterSeconds: 1).metrics[all]?.total ?? 0
        try #require([saved, saved + 10].contains(counted), "\(counted) counted, \(saved) saved: \(place)")
        for unit in 0..<counted { recorder.called(call(of: "u\(unit)")) }
        try await recorder.merge(into: store.log, of: "counted")
        let again = recorder.reading(afterSeconds: 1).metrics[all]?.total
        try #require(again == counted, "a unit counts twice: \(place)")
        if counted > saved {
            let notes = try Notes(path + "/counts")
            try notes.add(counted)
        }
    }
}
#endif
