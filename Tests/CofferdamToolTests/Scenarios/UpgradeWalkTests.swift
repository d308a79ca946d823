import Cofferdam
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

@Suite(.timeLimit(.minutes(2)))
struct UpgradeWalkTests {
    @Test(arguments: Scenario.all.map(\.name))
    func `each scenario ends as it must, by the gate's own numbers`(_ name: String) async throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        let report = try await ToyUpgrade.walk(scenario)
        #expect(report.problems.isEmpty)
        #expect(report.outcome == scenario.expected.outcome)
        #expect(report.decisions.allSatisfy { $0.contradictions().isEmpty })
        #expect(
            report.log.map(\.after.stage) == report.log.dropFirst().map(\.before.stage) + [report.log.last?.after.stage]
        )
        #expect(report.lost.isNothing || !scenario.expected.losses.isEmpty)
    }

    @Test func `a good candidate goes through every stage, and a person takes the first step alone`() async throws {
        let report = try await ToyUpgrade.walk(.good)
        #expect(report.stages.map(\.stage) == ToyUpgrade.options.stages)
        #expect(report.log.map(\.request.action.name) == ["advance", "promote", "promote", "promote", "promote"])
        #expect(report.log.map(\.request.by) == ["rehearsal", "gate", "gate", "gate", "gate"])
        #expect(report.lost.description == "nothing")
    }

    @Test func `the candidate is opened at no stage that does not need it`() async throws {
        let opened = Mutex<[RehearsedInstance]>([])
        let upgrade = ToyUpgrade.make(opened: { instance in opened.withLock { $0.append(instance) } })
        _ = try await ToyUpgrade.walk(.wrong, upgrade)
        #expect(opened.withLock { $0 } == [.legacy, .rehearsing])
    }

    @Test func `the same seed gives the same decisions, and another one others`() async throws {
        var options = ToyUpgrade.options
        let one = try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options)
        #expect(try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options).decisions == one.decisions)
        options.seed = 2
        #expect(try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options).decisions != one.decisions)
    }

    @Test func `a crash costs the writes that nobody knows of, and nothing else`() async throws {
        var options = ToyUpgrade.options
        options.batch = 64
        let report = try await ToyUpgrade.walk(.crashing, ToyUpgrade.make(), options)
        #expect(report.lost[.unknown] > 0)
        #expect(report.lost.counts.keys.sorted { $0.rawValue < $1.rawValue } == [.unknown])
        #expect(report.lost.examples.first?.contains("canary(2000)") == true)
    }

    @Test func `a candidate that lies where nothing should be wrong is not taken for a success`() async throws {
        let upgrade = ToyUpgrade.make(services: { instance, store in
            instance == .legacy ? ToyUpgrade.honest(store) : Toy(read: { $0 }, write: { store.add($0) })
        })
        let report = try await ToyUpgrade.walk(.good, upgrade)
        #expect(report.outcome == .rolledBack)
        #expect(report.problems == ["expected arrived, came rolled back"])
        #expect(report.lost.isNothing)
    }

    @Test func `lies that only users hear are found by the ledger, whatever the gate says`() async throws {
        // The copy in the shadow is right, so that no comparison tells.
        let upgrade = ToyUpgrade.make(services: { instance, store in
            instance == .candidate ? Toy(read: { $0 }, write: { store.add($0) }) : ToyUpgrade.honest(store)
        })
        let report = try await ToyUpgrade.walk(.good, upgrade)
        #expect(report.lost[.wrong] > 0)
        #expect(!report.isGreen)
    }

    @Test(arguments: [(2, Loss.Kind.doubled), (0, .missing)])
    func `a write that is there twice, or not at all, is lost`(_ times: Int, _ kind: Loss.Kind) async throws {
        let upgrade = ToyUpgrade.make(services: { _, store in
            Toy(read: { $0 * 2 }, write: { key in for _ in 0..<times { store.add(key) } })
        })
        let report = try await ToyUpgrade.walk(.wrong, upgrade)
        #expect(report.lost[kind] > 0)
        #expect(report.lost.counts.count == 1)
        #expect(!report.isGreen)
    }

    @Test func `a refused write that is there all the same is lost too`() async throws {
        let upgrade = ToyUpgrade.make(services: { _, store in
            Toy(
                read: { $0 * 2 },
                write: {
                    store.add($0)
                    throw ToyError(meaning: .answer)
                }
            )
        })
        let report = try await ToyUpgrade.walk(.wrong, upgrade)
        #expect(report.lost[.undeclared] > 0)
        #expect(report.lost[.undeclared] == report.lost[.failed])
    }

    @Test func `a mix that the upgrade has no operation for is an error of the rehearsal's`() async throws {
        var options = ToyUpgrade.options
        options.mix = try TrafficMix("walk=1")
        await #expect(throws: TrafficProblem.self) { try await ToyUpgrade.walk(.good, ToyUpgrade.make(), options) }
    }
}
