import Cofferdam
import CofferdamTesting
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Checks that counts continue after a restart, in every store.
@Suite struct SavedEvidenceTests {
    private static let stage = Stage.candidateWithFallback
    private let stored = Requests.stored(at: stage) { $0.state.epoch = 3 }.state

    enum Place: String, Sendable, CaseIterable {
        case memory
        #if SQLite
            case file
        #endif

        /// Opens the same store twice.
        func withStores(_ body: (any EvidenceStore, any EvidenceStore) async throws -> Void) async throws {
            switch self {
            case .memory:
                let store = MemoryEvidenceStore()
                try await body(store, store)
            #if SQLite
                case .file:
                    try await UpgradeFolder.with { folder in
                        try await body(try folder.store().log, try folder.store().log)
                    }
            #endif
            }
        }

        func withStore(_ body: (any EvidenceStore) async throws -> Void) async throws {
            try await withStores { store, _ in try await body(store) }
        }
    }

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
        at epoch: Int = 3
    ) {
        recorder.called(
            RoutedCall(
                capability: "a",
                operation: operation,
                stage: epoch == 0 ? .legacyOnly : Self.stage,
                epoch: epoch,
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
    private func save(_ recorder: EvidenceRecorder, _ store: any EvidenceStore) async throws {
        let changes = recorder.takeChanges()
        recorder.adopt(try await store.save(changes, of: "a"), after: changes)
    }

    private func resume(_ recorder: EvidenceRecorder, _ store: any EvidenceStore, at state: UpgradeState? = nil)
        async throws
    {
        let state = state ?? stored
        recorder.resume(
            try await store.saved(of: "a", under: recorder.key(of: state.stage)),
            at: state,
            newest: try await store.newestEpoch(of: "a")
        )
    }

    private func metrics(_ recorder: EvidenceRecorder) -> [Metric: FailureCounts] {
        recorder.reading(afterSeconds: 1).metrics
    }

    /// The failures of all units, including those with an open window.
    private func failures(_ recorder: EvidenceRecorder, of operation: String? = nil) -> FailureCounts? {
        let metric = operation.map(Metric.candidateFailures.of) ?? .candidateFailures
        return metrics(recorder)[metric.includingOpenWindows]
    }

    @Test(arguments: Place.allCases)
    func `counters go on after a restart, and no unit counts twice`(place: Place) async throws {
        try await place.withStore { store in
            let first = recorder()
            for unit in 0..<100 { call("u\(unit)", first, fails: unit % 10 == 0, answer: unit == 1 ? "notFound" : nil) }
            compared("u1", first, .mismatch)
            clock.advance(by: .seconds(700))
            call("late", first)
            try await save(first, store)
            let second = recorder()
            try await resume(second, store)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            for unit in 0..<100 { call("u\(unit)", second, fails: true) }
            compared("u1", second, .mismatch)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            call("new", second, fails: true)
            #expect(failures(second) == FailureCounts(11, of: 102))
            #expect(failures(second, of: "o") == FailureCounts(11, of: 102))
        }
    }

    @Test(arguments: Place.allCases)
    func `a window that is open when the process ends goes on in the next one`(place: Place) async throws {
        try await place.withStore { store in
            let first = recorder()
            call("a", first)
            clock.advance(by: .seconds(300))
            call("b", first)
            try await save(first, store)
            let second = recorder()
            try await resume(second, store)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(0, of: 0))
            call("a", second, fails: true)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(1, of: 1))
            clock.advance(by: .seconds(300))
            call("a", second, fails: true)
            #expect(metrics(second)[.candidateFailures] == FailureCounts(1, of: 1), "its window is over")
            clock.advance(by: .seconds(300))
            #expect(metrics(second)[.candidateFailures] == FailureCounts(1, of: 2))
        }
    }

    @Test(arguments: Place.allCases)
    func `only what is new is saved, and it adds up`(place: Place) async throws {
        try await place.withStore { store in
            let first = recorder()
            for part in 0..<5 {
                for unit in 0..<10 { call("\(part).\(unit)", first, fails: unit == part) }
                let changes = first.takeChanges()
                #expect(changes.windows["candidate"]?.count == 20, "of all operations, and of one")
                first.adopt(try await store.save(changes, of: "a"), after: changes)
            }
            let second = recorder()
            try await resume(second, store)
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
            #expect(failures(second) == FailureCounts(5, of: 50))
        }
    }

    @Test(arguments: Place.allCases)
    func `what could not be saved is saved the next time`(place: Place) async throws {
        try await place.withStore { store in
            let first = recorder()
            call("a", first)
            try await save(first, store)
            call("b", first, fails: true)
            call("gone", first)
            first.sessionEnded(of: "gone")
            first.restore(first.takeChanges())
            try await save(first, store)
            let second = recorder()
            try await resume(second, store)
            call("b", second)
            #expect(failures(second) == FailureCounts(1, of: 3))
            #expect(second.reading(afterSeconds: 1) == first.reading(afterSeconds: 1))
        }
    }

    @Test(arguments: Place.allCases)
    func `counts under another key are not continued`(place: Place) async throws {
        for difference in ["another binary", "another window", "another epoch"] {
            try await place.withStore { store in
                let first = recorder()
                call("a", first, fails: true)
                try await save(first, store)
                let next = recorder(
                    binary: difference == "another binary" ? "2" : "1",
                    window: .seconds(difference == "another window" ? 60 : 600)
                )
                var stored = stored
                if difference == "another epoch" { stored.epoch = 4 }
                try await resume(next, store, at: stored)
                let reading = next.reading(afterSeconds: 1)
                #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 0))
                #expect(reading.epoch == stored.epoch)
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `two builds that take turns on one store each count their units once`(place: Place) async throws {
        try await place.withStore { store in
            for turn in 0..<6 {
                let recorder = recorder(binary: "\(turn % 2)")
                try await resume(recorder, store)
                for unit in 0..<1_000 { call("u\(unit)", recorder, fails: unit < 3) }
                try await save(recorder, store)
                #expect(failures(recorder) == FailureCounts(3, of: 1_000), "turn \(turn)")
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `the legacy side's baseline is known after a restart, in whichever epoch`(place: Place) async throws {
        try await place.withStore { store in
            let first = watching
            for unit in 0..<12_000 {
                call("u\(unit)", first, fails: unit < 12, answer: unit == 50 ? "notFound" : nil, at: 0)
            }
            let baseline = try #require(first.baseline)
            #expect(baseline.units == FailureCounts(12, of: 12_000))
            #expect(baseline.answers == ["notFound": 1])
            try await save(first, store)
            let second = watching
            try await resume(second, store, at: UpgradeState(capability: "a", since: 0))
            #expect(second.baseline == baseline)
            // The next epoch must not remove it until the state contains it.
            let third = recorder()
            call("x", third)
            try await save(third, store)
            let saved = try #require(try await store.saved(of: "a", under: .baseline))
            #expect(saved.baseline(minimum: 10_000) == baseline)
            #expect(saved.baseline(minimum: 20_000) == nil)
        }
    }

    // MARK: Several processes at once

    @Test(arguments: Place.allCases)
    func `two processes at once add up, and count no unit twice`(place: Place) async throws {
        try await place.withStores { one, other in
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

    @Test(arguments: Place.allCases)
    func `a unit that two processes have begun is one unit, with the worst of both`(place: Place) async throws {
        try await place.withStore { store in
            let (first, second) = (recorder(), recorder())
            for recorder in [first, second] {
                call("a", recorder)
                try await save(recorder, store)
            }
            call("a", second, fails: true)
            try await save(second, store)
            clock.advance(by: .seconds(600))
            for recorder in [first, second, first] { try await save(recorder, store) }
            for recorder in [first, second] {
                #expect(metrics(recorder)[.candidateFailures] == FailureCounts(1, of: 1))
                #expect(metrics(recorder)[.activeUnits] == FailureCounts(1, of: 1))
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `a process that does not know of a new epoch leaves its counters alone`(place: Place) async throws {
        try await place.withStore { store in
            let (late, next) = (recorder(), recorder())
            call("a", late, fails: true)
            var stored = stored
            stored.epoch = 4
            next.follow(stored)
            call("b", next, at: 4)
            try await save(next, store)
            try await save(late, store)
            call("c", next, at: 4)
            try await save(next, store)
            let resumed = recorder()
            try await resume(resumed, store, at: stored)
            #expect(resumed.reading(afterSeconds: 1).epoch == 4)
            #expect(failures(resumed) == FailureCounts(0, of: 2))
        }
    }

    @Test(arguments: Place.allCases)
    func `the evidence of an upgrade that no longer exists is replaced`(place: Place) async throws {
        try await place.withStore { store in
            let first = recorder()
            call("a", first, fails: true)
            try await save(first, store)
            var stored = stored
            stored.epoch = 1
            let next = recorder()
            try await resume(next, store, at: stored)
            call("a", next, at: 1)
            try await save(next, store)
            let resumed = recorder()
            try await resume(resumed, store, at: stored)
            #expect(failures(resumed) == FailureCounts(0, of: 1))
        }
    }

    @Test(arguments: Place.allCases)
    func `the legacy side's baseline adds up, too`(place: Place) async throws {
        try await place.withStore { store in
            for process in 0..<2 {
                let recorder = watching
                for unit in 0..<6_000 { call("\(process) \(unit)", recorder, fails: unit < 3, at: 0) }
                try await save(recorder, store)
            }
            let third = watching
            try await resume(third, store, at: UpgradeState(capability: "a", since: 0))
            #expect(third.baseline?.units == FailureCounts(6, of: 12_000))
        }
    }

    @Test func `a reading of units that are not kept says so`() {
        #expect(EvidenceRecorder().reading(afterSeconds: 1).isKept == false)
        #expect(recorder().reading(afterSeconds: 1).isKept == true)
    }

    @Test func `an outcome's text that this version does not know is ignored`() {
        var texts = OutcomeTexts()
        let marks = CallMarks(marks: [.failed, .slow], answers: texts.bit(ofAnswer: "notFound"))
        #expect(texts.calls(texts.text(marks)) == marks)
        #expect(texts.calls("") == CallMarks(marks: []))
        #expect(texts.calls("flown") == nil)
        var comparison = ComparisonMarks(.expected, expectation: "D5, new", slow: .candidate)
        comparison.merge(ComparisonMarks(.match))
        #expect(texts.comparison(texts.text(comparison)) == comparison)
        #expect(texts.comparison("flown") == nil)
        #expect(OutcomeTexts.merged("failed", "") == "failed")
    }
}
