import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct EvidenceRecorderTests {
    private let control = StageControl()
    private let lane = ShadowLane(capacity: 1000)

    /// A zoo for each unit, on two sides that all share.
    private func zoo(_ unit: String?, _ sides: Sides, _ recorder: EvidenceRecorder) throws -> any Zoo {
        let session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "zoo"))
        let router = Router<any Zoo>(legacy: { sides.legacy }, candidate: { sides.candidate })
        let settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            lane: lane,
            observer: recorder,
            clock: HandClock()
        )
        return RoutedZoo(route: router.route(for: session, settings: settings) { $0 })
    }

    private struct Sides {
        let legacy = ScriptedZoo("legacy", log: Log())
        let candidate = ScriptedZoo("candidate", log: Log())
    }

    @Test func `a unit counts once, however often it calls, with the worst of what is counted of it`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .shadow(sample: .all))
        for unit in ["amara", "kenji", "lena"] {
            sides.candidate.does { Animal(id: $0, name: unit == "kenji" ? "wrong" : "animal \($0)") }
            let zoo = try zoo(unit, sides, recorder)
            for id in 0..<20 { _ = try await zoo.animal(id) }
            await lane.drained()
        }
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(1, of: 3))
    }

    @Test func `nobody's calls are not counted`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .candidateWithFallback)
        sides.candidate.fails(.failed)
        _ = try await zoo(nil, sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(0, of: 0))
    }

    @Test func `each epoch begins at 0, and what ends late counts in none`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .shadow(sample: .all))
        let held = Gate()
        sides.candidate.does { id in
            await held.pass()
            return Animal(id: id, name: "wrong")
        }
        _ = try await zoo("amara", sides, recorder).animal(1)
        try control.move(to: .shadow(sample: 5000))
        sides.candidate.does { Animal(id: $0, name: "animal \($0)") }
        for unit in 0..<20 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        held.open()
        await lane.drained()
        let counts = try #require(recorder.reading(afterSeconds: 1).metrics[.comparison])
        #expect(counts.failures == 0)
        #expect((1..<20).contains(counts.total))
        #expect(recorder.reading(afterSeconds: 1).epoch == control.state.epoch)
    }

    @Test func `what was watched of the old side before is what the new one is held against`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        for unit in 0..<BaselineRecorder.fewestCalls {
            if unit == 7 { sides.legacy.fails(.failed) } else { sides.legacy.does { Animal(id: $0, name: "") } }
            _ = try? await zoo("unit \(unit)", sides, recorder).animal(1)
        }
        #expect(recorder.reading(afterSeconds: 1).metrics[.legacyFailures] == nil)
        try control.move(to: .candidateWithFallback)
        _ = try await zoo("unit", sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).metrics[.legacyFailures] == FailureCounts(1, of: 10_000))
    }

    @Test func `in the canary each side's first choices count on their side, and a fallback on none`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .canary(share: 5000))
        sides.candidate.fails(.failed)
        for unit in 0..<50 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        await lane.drained()
        let metrics = recorder.reading(afterSeconds: 1).metrics
        let active = try #require(metrics[.activeUnits])
        #expect(active.total == 50)
        #expect((10...40).contains(active.failures))
        #expect(metrics[.canaryFailures] == FailureCounts(active.failures, of: active.failures))
    }

    @Test func `an expected difference counts as that`() async throws {
        let recorder = EvidenceRecorder { EpochKey(stage: $0, expectations: ["X1": "digest"]) }
        try control.move(to: .shadow(sample: .all))
        recorder.compared(
            ShadowComparison(
                capability: "zoo",
                operation: "animal",
                stage: .shadow(sample: .all),
                epoch: control.state.epoch,
                unit: "amara",
                outcome: .expected,
                differences: [],
                expectation: "X1",
                durations: [:]
            )
        )
        #expect(recorder.reading(afterSeconds: 1).metrics[.expected("X1")] == FailureCounts(1, of: 1))
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(0, of: 0))
    }
}
