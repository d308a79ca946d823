#if SQLite
    @testable import CofferdamUpgrade
    import Testing

    @Suite struct SavedEvidenceTests {
        private static let stage = Stage.candidateWithFallback
        private let stored = Requests.stored(at: stage) { $0.state.epoch = 3 }.state

        private func recorder(callsPerUnit: Int = 1, binary: String = "1") -> EvidenceRecorder {
            EvidenceRecorder(
                StageState(stage: Self.stage, epoch: 3),
                callsPerUnit: callsPerUnit,
                key: { EpochKey(stage: $0, binary: binary) }
            )
        }

        private func call(_ unit: String, _ recorder: EvidenceRecorder, fails: Bool = false, at epoch: Int = 3) {
            recorder.called(
                RoutedCall(
                    capability: "a",
                    operation: "o",
                    stage: epoch == 0 ? .legacyOnly : Self.stage,
                    epoch: epoch,
                    unit: unit,
                    side: epoch == 0 ? .legacy : .candidate,
                    role: .first,
                    outcome: fails ? .failed(.failed, kind: "k") : .answered,
                    duration: .milliseconds(1)
                )
            )
        }

        private func compared(_ unit: String, _ recorder: EvidenceRecorder, _ outcome: ComparisonOutcome) {
            recorder.compared(
                ShadowComparison(
                    capability: "a",
                    operation: "o",
                    stage: Self.stage,
                    epoch: 3,
                    unit: unit,
                    outcome: outcome,
                    differences: [],
                    expectation: nil,
                    durations: [:]
                )
            )
        }

        /// Saves one recorder, and gives another that goes on.
        private func resumed(
            _ recorder: EvidenceRecorder,
            _ log: SQLiteUpgradeLog,
            as next: EvidenceRecorder
        ) async throws -> EvidenceRecorder {
            try await log.save(recorder.takeChanges(), of: "a")
            next.resume(try #require(try await log.saved(of: "a")), at: stored)
            return next
        }

        @Test func `counters go on after a restart, and nobody counts twice`() async throws {
            try await UpgradeFolder.with { folder in
                let (log, first) = (try folder.store().log, recorder())
                for unit in 0..<100 { call("u\(unit)", first, fails: unit % 10 == 0) }
                compared("u1", first, .mismatch)
                let second = try await resumed(first, log, as: recorder())
                #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
                for unit in 0..<100 { call("u\(unit)", second, fails: true) }
                compared("u1", second, .mismatch)
                #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
                call("new", second, fails: true)
                #expect(second.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(11, of: 101))
            }
        }

        @Test func `only what is new is saved, and it adds up`() async throws {
            try await UpgradeFolder.with { folder in
                let (log, first) = (try folder.store().log, recorder())
                for part in 0..<5 {
                    for unit in 0..<10 { call("\(part).\(unit)", first, fails: unit == part) }
                    try await log.save(first.takeChanges(), of: "a")
                }
                let second = try await resumed(first, log, as: recorder())
                #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
                call("0.1", second, fails: true)
                #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            }
        }

        @Test func `what could not be saved is saved the next time`() async throws {
            try await UpgradeFolder.with { folder in
                let (log, first) = (try folder.store().log, recorder())
                call("a", first)
                try await log.save(first.takeChanges(), of: "a")
                call("b", first, fails: true)
                let lost = first.takeChanges()
                first.restore(lost)
                let second = try await resumed(first, log, as: recorder())
                call("b", second)
                #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            }
        }

        @Test func `a unit that had not made all its calls goes on with the worst of them`() async throws {
            try await UpgradeFolder.with { folder in
                let (log, first) = (try folder.store().log, recorder(callsPerUnit: 3))
                call("a", first, fails: true)
                call("a", first)
                let second = try await resumed(first, log, as: recorder(callsPerUnit: 3))
                call("a", second)
                #expect(second.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(1, of: 1))
            }
        }

        @Test(arguments: ["another binary", "another w", "another epoch"])
        func `what was counted under another question is forgotten`(difference: String) async throws {
            try await UpgradeFolder.with { folder in
                let (log, first) = (try folder.store().log, recorder())
                call("a", first, fails: true)
                try await log.save(first.takeChanges(), of: "a")
                let next = recorder(
                    callsPerUnit: difference == "another w" ? 2 : 1,
                    binary: difference == "another binary" ? "2" : "1"
                )
                var stored = stored
                if difference == "another epoch" { stored.epoch = 4 }
                next.resume(try #require(try await log.saved(of: "a")), at: stored)
                let reading = next.reading(afterSeconds: 1)
                #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 0))
                #expect(reading.epoch == stored.epoch)
            }
        }

        @Test func `how the legacy side was is known after a restart`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                let first = EvidenceRecorder(StageState())
                for unit in 0..<12_000 { call("u\(unit)", first, fails: unit < 12, at: 0) }
                try await log.save(first.takeChanges(), of: "a")
                let second = EvidenceRecorder(StageState())
                second.resume(
                    try #require(try await log.saved(of: "a")),
                    at: UpgradeState(capability: "a", since: 0)
                )
                call("x", second)
                call("x", first)
                let reading = second.reading(afterSeconds: 1)
                #expect(reading.metrics[.legacyFailures] == FailureCounts(12, of: 12_000))
                #expect(reading == first.reading(afterSeconds: 1))
            }
        }

        // MARK: Several processes at once

        /// As an engine does.
        private func save(_ recorder: EvidenceRecorder, _ log: SQLiteUpgradeLog) async throws {
            let changes = recorder.takeChanges()
            recorder.adopt(try await log.save(changes, of: "a"), after: changes)
        }

        @Test func `two processes at once add up, and count nobody twice`() async throws {
            try await UpgradeFolder.with { folder in
                let (one, other) = (try folder.store().log, try folder.store().log)
                let (first, second) = (recorder(), recorder())
                for unit in 0..<100 { call("u\(unit)", unit % 2 == 0 ? first : second, fails: unit < 10) }
                for recorder in [first, second] { call("both", recorder, fails: true) }
                try await save(first, one)
                try await save(second, other)
                let total = FailureCounts(11, of: 101)
                #expect(second.reading(afterSeconds: 1).metrics[.candidateFailures] == total)
                // It has saved nothing since, and knows of the other by what it saves next.
                #expect(first.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(6, of: 51))
                call("last", first)
                try await save(first, one)
                #expect(first.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(11, of: 102))
                let third = recorder()
                third.resume(try #require(try await one.saved(of: "a")), at: stored)
                for unit in 0..<100 { call("u\(unit)", third, fails: true) }
                #expect(third.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            }
        }

        @Test func `a unit that two processes have begun is one unit`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                let (first, second) = (recorder(callsPerUnit: 2), recorder(callsPerUnit: 2))
                for recorder in [first, second] {
                    call("a", recorder)
                    try await save(recorder, log)
                }
                for recorder in [first, second] {
                    call("a", recorder)
                    try await save(recorder, log)
                }
                let metrics = second.reading(afterSeconds: 1).metrics
                #expect(metrics[.candidateFailures] == FailureCounts(0, of: 1))
                #expect(metrics[.activeUnits] == FailureCounts(1, of: 1))
            }
        }

        @Test func `what was lost on the way and is saved later counts once`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                let (first, second) = (recorder(), recorder())
                call("a", first, fails: true)
                first.restore(first.takeChanges())
                call("b", first)
                call("b", second)
                try await save(second, log)
                try await save(first, log)
                #expect(first.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(1, of: 2))
            }
        }

        @Test func `one that has not heard of a new epoch leaves its counters alone`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                let (late, next) = (recorder(), recorder())
                call("a", late, fails: true)
                var stored = stored
                stored.epoch = 4
                next.follow(stored)
                call("b", next, at: 4)
                try await save(next, log)
                try await save(late, log)
                call("c", next, at: 4)
                try await save(next, log)
                let resumed = recorder()
                resumed.resume(try #require(try await log.saved(of: "a")), at: stored)
                let reading = resumed.reading(afterSeconds: 1)
                #expect(reading.epoch == 4)
                #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 2))
            }
        }

        @Test func `the evidence of an upgrade that is no more is replaced`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                let first = recorder()
                call("a", first, fails: true)
                try await save(first, log)
                var stored = stored
                stored.epoch = 1
                let next = recorder()
                next.resume(try #require(try await log.saved(of: "a")), at: stored)
                call("a", next, at: 1)
                try await save(next, log)
                let resumed = recorder()
                resumed.resume(try #require(try await log.saved(of: "a")), at: stored)
                #expect(resumed.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(0, of: 1))
            }
        }

        @Test func `how the legacy side was adds up, too`() async throws {
            try await UpgradeFolder.with { folder in
                let log = try folder.store().log
                for process in 0..<2 {
                    let recorder = EvidenceRecorder(StageState())
                    for unit in 0..<6_000 { call("\(process) \(unit)", recorder, fails: unit < 3, at: 0) }
                    try await save(recorder, log)
                }
                let third = EvidenceRecorder(StageState())
                third.resume(
                    try #require(try await log.saved(of: "a")),
                    at: UpgradeState(capability: "a", since: 0)
                )
                call("x", third)
                #expect(third.reading(afterSeconds: 1).metrics[.legacyFailures] == FailureCounts(6, of: 12_000))
            }
        }
    }
#endif
