import Cofferdam
import CofferdamSupport
import CofferdamTesting
import Testing
import UpgradeTestSupport

@testable import CofferdamGate
@testable import CofferdamUpgrade

/// The contract of every ledger: counts continue after a restart, and no unit counts twice, whichever process saw it.
@Suite struct EvidenceLedgerContract {
    private static let stage = Stage.candidateWithFallback
    private let stored = Requests.stored(at: stage) { ($0.state.capability, $0.state.epoch) = ("a", 3) }.state

    private let clock = TestClock()

    private func recorder(binary: String = "1", window: Duration = .seconds(600)) -> EvidenceRecorder {
        let recorder = EvidenceRecorder(
            StageState(stage: Self.stage, epoch: 3),
            window: window,
            key: { EpochKey(stage: $0, binary: binary) },
            clock: clock,
            now: { [clock] in Int64(clock.now.offset / .milliseconds(1)) }
        )
        recorder.keep()
        return recorder
    }

    private var watching: EvidenceRecorder {
        let recorder = EvidenceRecorder(clock: clock)
        recorder.keep()
        return recorder
    }

    private func call(
        _ unit: String,
        _ recorder: EvidenceRecorder,
        _ operation: String = "o",
        fails: Bool = false,
        answer: String? = nil,
        at epoch: Int = 3,
        in hour: Int64 = 0
    ) {
        recorder.called(
            RoutedCall(
                capability: "a",
                operation: operation,
                stage: epoch == 0 ? .legacyOnly : Self.stage,
                epoch: epoch,
                hour: hour,
                unit: unit,
                side: epoch == 0 ? .legacy : .candidate,
                role: .first,
                outcome: fails ? .failed(.failed, kind: "k") : .answered,
                answer: answer,
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

    /// Saves as an engine does.
    private func save(_ recorder: EvidenceRecorder, _ ledger: any EvidenceLedger) async throws {
        try await recorder.merge(into: ledger, of: "a")
    }

    private func resume(_ recorder: EvidenceRecorder, _ ledger: any EvidenceLedger, at state: UpgradeState? = nil)
        async throws
    {
        try await recorder.resume(from: ledger, at: state ?? stored)
    }

    private func metrics(_ recorder: EvidenceRecorder) -> [Metric: FailureCounts] {
        recorder.reading(afterSeconds: 1).metrics
    }

    /// The failures of all units, including those with an open window.
    private func failures(_ recorder: EvidenceRecorder, of operation: String? = nil) -> FailureCounts? {
        let metric = operation.map(Metric.candidateFailures.of) ?? .candidateFailures
        return metrics(recorder)[metric.includingOpenWindows]
    }

    @Test(arguments: LedgerPlace.allCases)
    func `counters go on after a restart, and no unit counts twice`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = recorder()
            for unit in 0..<100 { call("u\(unit)", first, fails: unit % 10 == 0, answer: unit == 1 ? "notFound" : nil) }
            compared("u1", first, .mismatch)
            clock.advance(by: .seconds(700))
            call("late", first)
            try await save(first, ledger)
            let second = recorder()
            try await resume(second, ledger)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            for unit in 0..<100 { call("u\(unit)", second, fails: true) }
            compared("u1", second, .mismatch)
            try await save(second, ledger)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            call("new", second, fails: true)
            #expect(failures(second) == FailureCounts(10, of: 101), "nothing is decided on what is not merged")
            try await save(second, ledger)
            #expect(failures(second) == FailureCounts(11, of: 102))
            #expect(failures(second, of: "o") == FailureCounts(11, of: 102))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a window that is open when the process ends goes on in the next one`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = recorder()
            call("a", first)
            clock.advance(by: .seconds(300))
            call("b", first)
            try await save(first, ledger)
            let second = recorder()
            try await resume(second, ledger)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(0, of: 0))
            call("a", second, fails: true)
            try await save(second, ledger)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(1, of: 1))
            clock.advance(by: .seconds(300))
            call("a", second, "other", fails: true)
            try await save(second, ledger)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(1, of: 1))
            let begun = Metric.candidateFailures.of("other").includingOpenWindows
            #expect(metrics(second)[begun] == FailureCounts(1, of: 1))
            call("b", second, fails: true, answer: "notFound")
            clock.advance(by: .seconds(360))
            try await save(second, ledger)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(2, of: 2))
            call("b", second, answer: "gone")
            try await save(second, ledger)
            #expect(metrics(second)[.candidateAnswers("gone")]?.failures ?? 0 == 0, "its window is over")
            #expect(metrics(second)[.candidateFailures] == FailureCounts(2, of: 2))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `only what is new is saved, and it adds up`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = recorder()
            for part in 0..<5 {
                for unit in 0..<10 { call("\(part).\(unit)", first, fails: unit == part) }
                let counting = CountingLedger(ledger)
                try await save(first, counting)
                #expect(counting.rows == 20, "of all operations, and of one")
            }
            let second = recorder()
            try await resume(second, ledger)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            #expect(failures(second) == FailureCounts(5, of: 50))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `what could not be saved is saved the next time`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = recorder()
            call("a", first)
            try await save(first, ledger)
            call("b", first, fails: true)
            call("gone", first)
            first.sessionEnded(of: "gone")
            await #expect(throws: UpgradeStoreError.self) { try await save(first, HeldLedger()) }
            try await save(first, ledger)
            let second = recorder()
            try await resume(second, ledger)
            call("b", second)
            try await save(second, ledger)
            #expect(failures(second) == FailureCounts(1, of: 3))
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `counts under another key are not continued`(place: LedgerPlace) async throws {
        for difference in ["another binary", "another window", "another epoch"] {
            try await place.withLedger { ledger in
                let first = recorder()
                call("a", first, fails: true)
                try await save(first, ledger)
                let next = recorder(
                    binary: difference == "another binary" ? "2" : "1",
                    window: .seconds(difference == "another window" ? 60 : 600)
                )
                var stored = stored
                if difference == "another epoch" { stored.epoch = 4 }
                try await resume(next, ledger, at: stored)
                let reading = next.reading(afterSeconds: 1)
                #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 0))
                #expect(reading.epoch == stored.epoch)
            }
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `two builds that take turns on one store each count their units once`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            for turn in 0..<6 {
                let recorder = recorder(binary: "\(turn % 2)")
                try await resume(recorder, ledger)
                for unit in 0..<1_000 { call("u\(unit)", recorder, fails: unit < 3) }
                try await save(recorder, ledger)
                #expect(failures(recorder) == FailureCounts(3, of: 1_000), "turn \(turn)")
            }
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `the legacy side's baseline is known after a restart, in whichever epoch`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = watching
            for unit in 0..<12_000 {
                call("u\(unit)", first, fails: unit < 12, answer: unit == 50 ? "notFound" : nil, at: 0)
            }
            try await save(first, ledger)
            let baseline = try #require(first.baseline)
            #expect(baseline.units == FailureCounts(12, of: 12_000))
            #expect(baseline.answers == ["notFound": 1])
            let second = watching
            try await resume(second, ledger, at: UpgradeState(capability: "a", since: 0))
            #expect(second.baseline == baseline)
            // The next epoch must not remove it until the state contains it.
            let third = recorder()
            call("x", third)
            try await save(third, ledger)
            let saved = try #require(try await ledger.counts(of: "a", under: .baseline))
            #expect(saved.baseline(minimum: 10_000) == baseline)
            #expect(saved.baseline(minimum: 20_000) == nil)
        }
    }

    // MARK: Several processes at once

    @Test(arguments: LedgerPlace.allCases)
    func `two processes at once add up, and count no unit twice`(place: LedgerPlace) async throws {
        try await place.withLedgers { one, other in
            let (first, second) = (recorder(), recorder())
            for unit in 0..<100 { call("u\(unit)", unit % 2 == 0 ? first : second, fails: unit < 10) }
            for recorder in [first, second] { call("both", recorder, fails: true) }
            try await save(first, one)
            try await save(second, other)
            #expect(failures(second) == FailureCounts(11, of: 101))
            // It has not saved since, and learns of the other one at its next save.
            #expect(failures(first) == FailureCounts(6, of: 51))
            call("last", first)
            try await save(first, one)
            #expect(failures(first) == FailureCounts(11, of: 102))
            let third = recorder()
            try await resume(third, one)
            for unit in 0..<100 { call("u\(unit)", third, fails: true) }
            clock.advance(by: .seconds(700))
            for recorder in [first, second, third] { try await save(recorder, one) }
            for recorder in [first, second, third] { try await save(recorder, one) }
            #expect(metrics(first)[.candidateFailures]?.total == 102)
            #expect(metrics(third) == metrics(first))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a unit that two processes have begun is one unit, with the worst of both`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let (first, second) = (recorder(), recorder())
            for recorder in [first, second] {
                call("a", recorder)
                try await save(recorder, ledger)
            }
            call("a", second, fails: true)
            try await save(second, ledger)
            clock.advance(by: .seconds(600))
            for recorder in [first, second, first] { try await save(recorder, ledger) }
            for recorder in [first, second] {
                #expect(metrics(recorder)[.candidateFailures] == FailureCounts(1, of: 1))
                #expect(metrics(recorder)[.activeUnits] == FailureCounts(1, of: 1))
            }
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a call that hangs fails its unit, whichever process merges first`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let (waiting, other) = (recorder(), recorder())
            var stored = stored
            let fast = LegacyBaseline.Operation(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1_000_000_000)
            stored.baseline = LegacyBaseline(units: FailureCounts(0, of: 10_000), operations: ["o": fast])
            for recorder in [waiting, other] { recorder.follow(stored) }
            waiting.began(
                CallInFlight(
                    number: 1,
                    operation: "o",
                    stage: Self.stage,
                    epoch: 3,
                    unit: "a",
                    key: UnitKey.key(of: "a"),
                    side: .candidate
                )
            )
            clock.advance(by: .seconds(2))
            try await save(waiting, ledger)
            clock.advance(by: .seconds(601))
            call("b", other)
            for recorder in [other, waiting] { try await save(recorder, ledger) }
            #expect(failures(waiting) == FailureCounts(1, of: 2))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `the windows of a process that is gone end without it`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let (gone, other) = (recorder(), recorder())
            call("a", gone)
            try await save(gone, ledger)
            for (seconds, settled) in [(0, 0), (601, 0), (60, 1)] {
                clock.advance(by: .seconds(seconds))
                #expect(other.isMergeDue)
                try await save(other, ledger)
                #expect(metrics(other)[.candidateFailures] == FailureCounts(0, of: settled))
            }
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a process that does not know of a new epoch leaves its counters alone`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let (late, next) = (recorder(), recorder())
            call("a", late, fails: true)
            var stored = stored
            stored.epoch = 4
            next.follow(stored)
            call("b", next, at: 4)
            try await save(next, ledger)
            try await save(late, ledger)
            call("c", next, at: 4)
            try await save(next, ledger)
            let resumed = recorder()
            try await resume(resumed, ledger, at: stored)
            #expect(resumed.reading(afterSeconds: 1).epoch == 4)
            #expect(failures(resumed) == FailureCounts(0, of: 2))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `the evidence of an upgrade that no longer exists is replaced`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let first = recorder()
            call("a", first, fails: true)
            try await save(first, ledger)
            var stored = stored
            stored.epoch = 1
            let next = recorder()
            try await resume(next, ledger, at: stored)
            call("a", next, at: 1)
            try await save(next, ledger)
            let resumed = recorder()
            try await resume(resumed, ledger, at: stored)
            #expect(failures(resumed) == FailureCounts(0, of: 1))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `the legacy side's baseline adds up, too`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            for process in 0..<2 {
                let recorder = watching
                for unit in 0..<6_000 { call("\(process) \(unit)", recorder, fails: unit < 3, at: 0) }
                try await save(recorder, ledger)
            }
            let third = watching
            try await resume(third, ledger, at: UpgradeState(capability: "a", since: 0))
            #expect(third.baseline?.units == FailureCounts(6, of: 12_000))
        }
    }

    @Test func `a reading of units that are not kept says so`() {
        #expect(EvidenceRecorder().reading(afterSeconds: 1).isKept == false)
        #expect(recorder().reading(afterSeconds: 1).isKept == true)
    }

    // MARK: Visits

    /// The units that newly failed in each hour, of those that visited the candidate.
    private func newlyFailed(_ recorder: EvidenceRecorder) -> [Int64: FailureCounts] {
        let hours = recorder.reading(afterSeconds: 1).hours ?? []
        return Dictionary(hours.map { ($0.hour, $0.metrics[.newly(.failed, on: .candidate)] ?? .none) }) { $0 + $1 }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a unit that was counted long ago and fails now is a new failure, once`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            var last = recorder()
            /// Each hour has a process of its own.
            func hour(_ hour: Int64, _ calls: [(unit: String, fails: Bool)]) async throws {
                clock.advance(by: .seconds(2_600))
                last = recorder()
                try await resume(last, ledger)
                for (unit, fails) in calls { call(unit, last, fails: fails, in: hour) }
                try await save(last, ledger)
                try await save(last, ledger)
                // Its windows end.
                clock.advance(by: .seconds(1_000))
                try await save(last, ledger)
            }
            clock.advance(by: .seconds(100 * 3_600 - 2_600))
            try await hour(100, [("a", false), ("b", false), ("c", true)])
            try await hour(101, [("a", false), ("a", true), ("b", false), ("c", true)])
            try await hour(102, [("a", true), ("c", false)])
            try await hour(103, [("a", true), ("c", true)])
            let expected: [Int64: FailureCounts] = [
                100: FailureCounts(1, of: 3), 101: FailureCounts(1, of: 2), 102: FailureCounts(0, of: 0),
                103: FailureCounts(1, of: 1),
            ]
            #expect(newlyFailed(last) == expected)
            #expect(failures(last) == FailureCounts(1, of: 3), "a window ends as ever")
            let again = recorder()
            try await resume(again, ledger)
            #expect(newlyFailed(again) == expected, "counts go on after a restart")
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a unit of which no device tells the end counts as unseen, and compared with those of the other side`(
        place: LedgerPlace
    ) async throws {
        try await place.withLedger { ledger in
            let stage = Stage.canary(share: 5_000)
            let key = EvidenceReport.key(of: stage, window: 600)
            let hour = VisitHour.milliseconds
            func post(_ tally: String, _ units: Range<Int>, settled: Bool, failed: Bool = false, at: Int64) async throws
            {
                let marks = failed ? ["failed"] : []
                let windows = [tally, tally + "Visits"].map { tally in
                    EvidenceReport.Window(
                        tally: tally,
                        operation: nil,
                        marks: marks,
                        isSettled: settled && !tally.hasSuffix("Visits"),
                        // The devices' clocks are ahead.
                        hour: tally.hasSuffix("Visits") ? VisitHour.hour(of: at) + 1 : nil
                    )
                }
                let report = EvidenceReport(
                    stage: stage,
                    epoch: 3,
                    window: 600,
                    build: "1",
                    side: nil,
                    units: units.map { .init(unit: UInt64($0).hexadecimal, windows: windows) }
                )
                try await ledger.merge(EvidenceRows([report], under: key, epoch: 3, at: at), of: "a")
            }
            func metric(_ metric: Metric) async throws -> FailureCounts? {
                try await ledger.counts(of: "a", under: key)?.reading(against: nil, afterSeconds: 1).metrics[metric]
            }
            let begin = 1_000 * hour
            try await post("candidate", 0..<20, settled: false, at: begin)
            try await post("legacy", 100..<120, settled: false, at: begin)
            // Of most, the end is told later.
            try await post("candidate", 0..<11, settled: true, at: begin + 5 * hour)
            try await post("legacy", 100..<119, settled: true, at: begin + 5 * hour)
            try await post("legacy", 200..<201, settled: false, at: begin + 12 * hour)
            #expect(try await metric(.canaryUnseen) == FailureCounts.none, "their devices may be offline")
            try await post("legacy", 201..<202, settled: false, at: begin + 13 * hour)
            #expect(try await metric(.canaryUnseen) == FailureCounts(9, of: 10))
            #expect(try await metric(.candidateFailures) == FailureCounts(0, of: 11), "neither good nor bad")
            #expect(try await metric(.activeUnits) == FailureCounts(20, of: 42), "they are no less there")
            try await post("candidate", 11..<12, settled: true, failed: true, at: begin + 13 * hour)
            #expect(try await metric(.canaryUnseen) == FailureCounts(9, of: 10), "what comes later changes nothing")
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a visit that arrives again, or late, changes no count`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            func rows(_ hour: Int64, _ unit: UInt64, fails: Bool = false) -> EvidenceRows {
                var rows = EvidenceRows(EpochKey(stage: Self.stage), epoch: 3)
                rows.rows = [
                    EvidenceRow(
                        slot: .init(unit: unit, tally: .candidateVisits, operation: EvidenceNames.all),
                        state: .init(
                            marks: fails ? .failed : .none,
                            began: hour * VisitHour.milliseconds,
                            isSettled: false
                        )
                    )
                ]
                return rows
            }
            func counts() async throws -> [Int64: FailureCounts] {
                let counts = try await ledger.counts(of: "a", under: EpochKey(stage: Self.stage))
                let hours = counts?.reading(against: nil, afterSeconds: 1).hours ?? []
                return Dictionary(
                    uniqueKeysWithValues: hours.map { ($0.hour, $0.metrics[.newly(.failed, on: .candidate)] ?? .none) }
                )
            }
            for batch in [rows(100, 1), rows(100, 1), rows(100, 1, fails: true), rows(100, 2), rows(100, 1)] {
                try await ledger.merge(batch, of: "a")
            }
            #expect(try await counts() == [100: FailureCounts(1, of: 2)])
            for batch in [rows(101, 1, fails: true), rows(100, 2), rows(101, 1, fails: true)] {
                try await ledger.merge(batch, of: "a")
            }
            #expect(try await counts() == [100: FailureCounts(1, of: 2), 101: FailureCounts(0, of: 0)])
            for batch in [rows(130, 3), rows(100, 2), rows(106, 2, fails: true), rows(131, 1)] {
                try await ledger.merge(batch, of: "a")
            }
            #expect(
                try await counts() == [
                    100: FailureCounts(1, of: 2), 101: FailureCounts(0, of: 0), 130: FailureCounts(0, of: 1),
                    131: FailureCounts(0, of: 0),
                ],
                "a unit that failed is known however long ago that was"
            )
            try await ledger.merge(rows(160, 3), of: "a")
            #expect(try await counts().keys.sorted() == [130, 131, 160])
            let last = try await ledger.counts(of: "a", under: EpochKey(stage: Self.stage))
            let hours = last?.reading(against: nil, afterSeconds: 1).hours ?? []
            #expect(
                hours.map { $0.metrics[.returning(on: .candidate)] } == [
                    FailureCounts(0, of: 1), FailureCounts(1, of: 1), FailureCounts(0, of: 1),
                ],
                "after a day without a visit, a unit without failures is a new one"
            )
        }
    }

    // MARK: What the ledger does not take

    @Test func `what waits too long for the ledger may send the upgrade back, but promotes nothing`() async throws {
        let (first, ledger) = (recorder(), MemoryLedger())
        call("a", first)
        try await save(first, ledger)
        for unit in 0..<5 { call("b\(unit)", first, fails: true) }
        call("a", first, fails: true)
        await #expect(throws: UpgradeStoreError.self) { try await save(first, HeldLedger()) }
        #expect(failures(first) == FailureCounts(0, of: 1))
        #expect(first.reading(afterSeconds: 1).isIncomplete == nil)
        clock.advance(by: EvidenceRecorder.patience)
        #expect(failures(first) == FailureCounts(6, of: 6))
        #expect(first.reading(afterSeconds: 1).isIncomplete == true)
        try await save(first, ledger)
        #expect(failures(first) == FailureCounts(6, of: 6))
        #expect(first.reading(afterSeconds: 1).isIncomplete == nil)
    }

    @Test(arguments: LedgerPlace.allCases)
    func `rows count once, in whichever order and however often they arrive`(place: LedgerPlace) async throws {
        for seed in 0..<5 {
            try await place.withLedger { ledger in
                var random = SplitMix64(seed: UInt64(seed))
                var batches: [EvidenceRows] = []
                var (expected, reference) = (MemoryRows(), EvidenceCounts(EpochKey(stage: Self.stage), epoch: 3))
                for _ in 0..<20 {
                    var rows = EvidenceRows(EpochKey(stage: Self.stage), epoch: 3)
                    let operation = rows.names.place(of: "o\(Int.random(in: 0..<3, using: &random))") ?? 0
                    for _ in 0..<Int.random(in: 1..<10, using: &random) {
                        let unit = UInt64.random(in: 0..<20, using: &random)
                        let isFailed = Int.random(in: 0..<4, using: &random) == 0
                        let kind = isFailed ? "k\(Int.random(in: 0..<3, using: &random))" : "fine"
                        let marks = rows.names.mark(ofAnswer: kind, in: .candidate).union(isFailed ? .failed : .none)
                        rows.rows.append(
                            EvidenceRow(
                                slot: .init(unit: unit, tally: .candidate, operation: operation),
                                state: .init(marks: marks, began: 0, isSettled: false)
                            )
                        )
                    }
                    batches.append(rows)
                    try reference.merge(rows, into: &expected)
                }
                for rows in (batches + batches).shuffled(using: &random) { try await ledger.merge(rows, of: "a") }
                let counts = try #require(try await ledger.counts(of: "a", under: EpochKey(stage: Self.stage)))
                let (one, other) = (counts.reading(against: nil, afterSeconds: 1), reference)
                #expect(one.metrics == other.reading(against: nil, afterSeconds: 1).metrics)
            }
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `however many names devices report, an epoch has a bounded number of them`(place: LedgerPlace) async throws {
        try await place.withLedger { ledger in
            let key = EvidenceReport.key(of: Self.stage, window: 600)
            for number in 0..<100 {
                let window = EvidenceReport.Window(
                    tally: "candidate",
                    operation: "o\(number)",
                    marks: ["answer=k\(number)"],
                    isSettled: true,
                    isRead: true
                )
                let all = EvidenceReport.Window(
                    tally: "candidate",
                    operation: nil,
                    marks: window.marks,
                    isSettled: true
                )
                let report = EvidenceReport(
                    stage: Self.stage,
                    epoch: 3,
                    window: 600,
                    build: "1",
                    side: nil,
                    units: [.init(unit: "000000000000000\(number % 10)", windows: [window, all])]
                )
                try await ledger.merge(EvidenceRows([report], under: key, epoch: 3, at: 0), of: "a")
            }
            let counts = try #require(try await ledger.counts(of: "a", under: key))
            #expect(counts.operations.count == 63 && counts.reads == Set(counts.operations))
            #expect(counts.names.answers.count == Marks.maxAnswers)
            #expect(counts.units[.candidate, EvidenceNames.all]?.settled.values.reduce(0, +) == 10)
        }
    }
}
