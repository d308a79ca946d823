import Cofferdam
import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

/// Checks the effect on users of the faults, whatever the gate decides.
@Suite(.timeLimit(.minutes(2)))
struct UserFaultTests {
    private static var writing: ScenarioOptions {
        get throws {
            var options = ToyUpgrade.options
            options.mix = try TrafficMix("read=50,write=50")
            return options
        }
    }

    @Test func `one operation fails for some users, and never as their first call`() async throws {
        let first = Mutex<Set<String>>([])
        let failed = Mutex<Set<String>>([])
        var upgrade = ToyUpgrade.make()
        upgrade.operations = upgrade.operations.map { operation in
            TrafficOperation(operation.name, operation.kind, weight: operation.weight) { toy, step in
                do {
                    try await operation.perform(toy, step)
                } catch {
                    #expect(operation.name == "write")
                    #expect((error as? ToyError)?.meaning == .outcomeUnknown)
                    failed.withLock { _ = $0.insert(step.key) }
                    throw error
                }
                if step.index == 0 { first.withLock { _ = $0.insert(step.key) } }
            }
        }
        let report = try await ToyUpgrade.walk(.laterOperation, upgrade, try Self.writing)
        #expect(Set(report.lost.counts.keys) == [.unknown])
        #expect(failed.withLock { $0.count } == report.lost[.unknown])
        // The first step succeeds in every visit.
        #expect(first.withLock { $0.subtracting([VisitStep.trial.key]).count } == report.counts.visits)
        #expect(report.lost.examples.allSatisfy { !$0.contains("shadow") && !$0.contains("legacyOnly") })
    }

    @Test func `a write refused by an answer is a loss of its user, and is not done`() async throws {
        let store = ToyStore()
        let report = try await ToyUpgrade.walk(.answers, ToyUpgrade.make(store), try Self.writing)
        #expect(Set(report.lost.counts.keys) == [.failed])
        #expect(report.lost.examples.allSatisfy { $0.contains("write: ToyError(meaning: ") && $0.contains("answer") })
    }

    @Test func `a user gives up a call that hangs, has lost it, and leaves`() async throws {
        let report = try await ToyUpgrade.walk(.hangs)
        #expect(Set(report.lost.counts.keys) == [.hung])
        #expect(report.lost[.hung] == report.counts.givenUp)
        #expect(report.lost.examples.allSatisfy { $0.hasSuffix(": TimedOut()") })
    }

    @Test func `when the app is closed and restarted, its sides are opened again, and nothing is lost`() async throws {
        let opened = Mutex<[RehearsedInstance: Int]>([:])
        let upgrade = ToyUpgrade.make(
            feed: ToyFeed(),
            opened: { instance in opened.withLock { $0[instance, default: 0] += 1 } }
        )
        let report = try await ToyUpgrade.walk(.lateOpening, upgrade, try ToyUpgrade.following)
        #expect(report.lost.isNothing, "\(report.lost.examples)")
        #expect(report.crashes.isEmpty)
        let counts = opened.withLock { $0 }
        let restarts = report.stages.reduce(0) { $0 + ($1.visits - 1) / 250 }
        #expect(restarts > 4)
        #expect(counts[.legacy, default: 0] > 4)
        #expect(counts[.shadowCandidate, default: 0] >= 2)
    }

    @Test func `a nearby service adds no network time`() async throws {
        let report = try await ToyUpgrade.walk(.fast)
        #expect(report.stages[0].latencies["legacy"]?.p99 == 0)
        #expect(report.lost.isNothing)
    }
}
