import Cofferdam
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct WatchedWalkTests {
    /// A person's action at `canary`, and how the walk continues.
    struct Move: Sendable, CustomTestStringConvertible {
        var action: UpgradeAction
        var outcome: ScenarioOutcome
        var last: Stage

        var testDescription: String { action.name }
    }

    static let moves = [
        Move(action: .kill(.legacy), outcome: .rolledBack, last: .canary(share: 2_000)),
        Move(action: .kill(.candidate), outcome: .rescued, last: .canary(share: 2_000)),
        Move(action: .rollBack(to: .legacyOnly), outcome: .rolledBack, last: .canary(share: 2_000)),
        Move(action: .abort, outcome: .rolledBack, last: .canary(share: 2_000)),
        Move(action: .advance(despiteGate: true), outcome: .arrived, last: .candidateOnly),
    ]

    @Test(arguments: moves)
    func `the walk follows what a person does in its store`(_ move: Move) async throws {
        let ongoing = Mutex<OngoingRehearsal?>(nil)
        let services: @Sendable (RehearsedInstance, ToyStore) -> Toy = { instance, store in
            var toy = ToyUpgrade.honest(store)
            guard instance == .candidate else { return toy }
            toy.read = { number in
                // Once, at the first read of a user whom the candidate serves.
                if let rehearsal = ongoing.withLock({ $0 }),
                    try await rehearsal.store.read("toy")?.state.stage == .canary(share: 2_000),
                    ongoing.withLock({ $0.take() }) != nil
                {
                    let request = UpgradeRequest(
                        move.action,
                        by: "amara",
                        reason: "a try",
                        at: rehearsal.now(),
                        id: "1"
                    )
                    _ = try await rehearsal.store.carryOut(request, for: "toy", plan: rehearsal.plan)
                }
                return number * 2
            }
            return toy
        }
        let upgrade = ToyUpgrade.make(services: services)
        try FileManager.default.createDirectory(atPath: upgrade.directory, withIntermediateDirectories: false)
        defer { removeFolder(upgrade.directory) }
        var walk = try UpgradeWalk(
            upgrade,
            .good,
            ToyUpgrade.options,
            isWatched: true,
            clock: SkippingClock(),
            progress: { _ in }
        )
        ongoing.withLock { $0 = walk.engine.ongoing(.good) }
        let report = try await walk.run()
        #expect(report.outcome == move.outcome)
        #expect(report.stages.last?.stage == move.last)
        let canary = try #require(report.stages.first { $0.stage == .canary(share: 2_000) })
        #expect(canary.verdict == move.action.name)
        #expect(canary.why == "amara: a try")
        let entry = try #require(report.log.first { $0.request.by == "amara" })
        #expect(entry.request.at > 1_700_000_000_000, "people read the time of day")
    }

    @Test func `observers see the evidence of the current stage, and none of another`() async throws {
        let upgrade = ToyUpgrade.make()
        try FileManager.default.createDirectory(atPath: upgrade.directory, withIntermediateDirectories: false)
        defer { removeFolder(upgrade.directory) }
        var walk = try UpgradeWalk(
            upgrade,
            .good,
            ToyUpgrade.options,
            isWatched: true,
            clock: SkippingClock(),
            progress: { _ in }
        )
        let ongoing = walk.engine.ongoing(.good)
        #expect(try await walk.run().outcome == .arrived)
        let state = try #require(try await ongoing.store.read("toy")).state
        #expect(state.stage == .candidateOnly)
        #expect(try await ongoing.evidence.reading(of: state, afterSeconds: 1).metrics.isEmpty == false)
        var other = state
        other.epoch += 1
        #expect(try await ongoing.evidence.reading(of: other, afterSeconds: 1).metrics.isEmpty)
    }
}
