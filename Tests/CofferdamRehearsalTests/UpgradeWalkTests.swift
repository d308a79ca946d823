import Cofferdam
import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct UpgradeWalkTests {
    /// The expected course of a scenario: its steps, where and why it ends, and what users lose.
    struct Course: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [String]
        var end: Stage
        var metric: Metric?
        var losses: Set<Loss.Kind> = []
        /// The users' mix of calls; nil for the usual one.
        var mix: String?

        var testDescription: String { name }
    }

    static let courses = [
        Course(name: "good", steps: ["advance", "promote", "promote", "promote", "promote"], end: .candidateOnly),
        Course(
            name: "wrong",
            steps: ["advance", "retreat"],
            end: .shadow(sample: .all),
            metric: .mismatches.includingOpenWindows
        ),
        Course(
            name: "slow",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            metric: .canarySlow
        ),
        Course(
            name: "crashing",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            metric: .canaryFailures,
            losses: [.unknown, .crashed]
        ),
        Course(
            name: "flapping",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            metric: .canaryFailures
        ),
        Course(
            name: "legacy-down",
            steps: ["advance", "promote", "kill"],
            end: .canary(share: 2_000),
            losses: [.failed]
        ),
        Course(
            name: "later-operation",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            losses: [.unknown],
            mix: "read=50,write=50"
        ),
        Course(
            name: "answers",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            losses: [.failed]
        ),
        Course(
            name: "hangs",
            steps: ["advance", "promote", "retreat"],
            end: .canary(share: 2_000),
            losses: [.hung]
        ),
        Course(name: "fast", steps: ["advance", "promote", "promote", "promote", "promote"], end: .candidateOnly),
        Course(
            name: "late-opening",
            steps: ["advance", "promote", "promote", "promote", "promote"],
            end: .candidateOnly
        ),
        Course(
            name: "breaks-later",
            steps: ["advance", "promote", "promote", "promote", "promote", "retreat"],
            end: .candidateOnly,
            losses: [.failed, .broken, .gap]
        ),
    ]

    @Test func `each scenario is tested here`() {
        #expect(Self.courses.map(\.name) == Scenario.all.map(\.name))
    }

    @Test(arguments: courses)
    func `each scenario ends as it must, where it must, by the gate's own numbers`(_ course: Course) async throws {
        let scenario = try #require(Scenario.all.first { $0.name == course.name })
        var options = ToyUpgrade.options
        if let mix = course.mix { options.mix = try TrafficMix(mix) }
        let report = try await ToyUpgrade.walk(scenario, ToyUpgrade.make(), options)
        #expect(report.log.map(\.request.action.name) == course.steps)
        #expect(report.stages.last?.stage == course.end)
        if let metric = course.metric { #expect(report.decisions.last?.reasons.first?.metric == metric) }
        #expect(Set(report.lost.counts.keys).isSubset(of: course.losses))
        #expect(report.lost.isNothing == course.losses.isEmpty)
        #expect((report.rest == nil) == (report.outcome == .arrived))
        #expect(report.problems.isEmpty)
        #expect(report.outcome == scenario.expected.outcome)
        #expect(report.decisions.allSatisfy { $0.contradictions().isEmpty })
        #expect(
            report.log.map(\.after.stage) == report.log.dropFirst().map(\.before.stage) + [report.log.last?.after.stage]
        )
        #expect(report.lost.isNothing || !scenario.expected.losses.isEmpty)
    }

    @Test func `a candidate that breaks an hour after its users were counted makes the alarm ring`() async throws {
        let report = try await ToyUpgrade.walk(.breaksLater)
        let alarm = try #require(report.decisions.last?.alarms?.first { $0.isReached && $0.operation == nil })
        #expect(alarm.since == 25)
        #expect(alarm.candidate.failures == alarm.candidate.total)
    }

    @Test func `a good candidate passes every stage, and a person takes only the first step`() async throws {
        let report = try await ToyUpgrade.walk(.good)
        #expect(report.stages.map(\.stage) == ToyUpgrade.options.stages)
        #expect(report.log.map(\.request.action.name) == ["advance", "promote", "promote", "promote", "promote"])
        #expect(report.log.map(\.request.by) == ["rehearsal", "gate", "gate", "gate", "gate"])
        #expect(report.lost.description == "nothing")
    }

    @Test func `the candidate is not opened at stages that do not need it`() async throws {
        let opened = Mutex<[RehearsedInstance]>([])
        let upgrade = ToyUpgrade.make(opened: { instance in opened.withLock { $0.append(instance) } })
        _ = try await ToyUpgrade.walk(.wrong, upgrade)
        #expect(opened.withLock { $0 } == [.legacy, .shadowCandidate])
    }

    /// If a side is not open yet, a task subscribes to it, and the stream misses items published in the meantime.
    @Test func `a stage's sides are open in the router before its traffic starts, so that a stream subscribes at once`()
        async throws
    {
        let opened = Mutex<[RehearsedInstance]>([])
        let upgrade = ToyUpgrade.make(opened: { instance in opened.withLock { $0.append(instance) } })
        let walk = try UpgradeWalk(upgrade, .good, ToyUpgrade.options, clock: SkippingClock(), progress: { _ in })
        let router = walk.traffic.router
        try await router.open(for: .shadow(sample: .all))
        #expect(router.current.opened.count == 1)
        #expect(opened.withLock { $0 } == [.legacy, .shadowCandidate])
        try await router.open(for: .canary(share: 500))
        #expect(router.current.opened.count == 2)
        #expect(opened.withLock { $0 } == [.legacy, .shadowCandidate, .candidate])
    }

    @Test func `the same seed gives the same decisions, and another seed gives others`() async throws {
        var options = ToyUpgrade.options
        let one = try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options)
        #expect(try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options).decisions == one.decisions)
        options.seed = 2
        #expect(try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options).decisions != one.decisions)
    }

    /// The read that crashes the app is always in progress itself; the outcome of a write in progress is unknown.
    @Test(arguments: [("read=100", [Loss.Kind.crashed]), ("read=80,write=20", [.crashed, .unknown])])
    func `a crash costs the calls under way, and writes whose outcome is unknown`(
        mix: String,
        kinds: [Loss.Kind]
    ) async throws {
        var options = ToyUpgrade.options
        options.batch = 64
        options.inFlight = 16
        // Sleepers advance the clock for all, so many concurrent ones would slow each other down.
        options.roundTrip = .zero
        options.mix = try TrafficMix(mix)
        let report = try await ToyUpgrade.walk(.crashing, ToyUpgrade.make(), options)
        #expect(report.problems.isEmpty)
        #expect(report.stages.last?.stage == .canary(share: 2_000))
        #expect(!report.lost.isNothing)
        #expect(Set(report.lost.counts.keys).isSubset(of: kinds))
        #expect(report.lost.examples.allSatisfy { $0.contains("canary(2000)") })
    }

    @Test func `calls cut off by a crash are found by the next process and count as the candidate's failures`()
        async throws
    {
        let report = try await ToyUpgrade.walk(.crashing)
        #expect(report.crashes.map(\.calls) == [1, 1])
        #expect(Set(report.crashes.map(\.stage)) == [.canary(share: 2_000)])
        // Five units' calls were dropped before. It is unknown whose calls were in progress at the two crashes: each
        // counts as a failure, and as none of the active units.
        let canary = try #require(report.stages.last)
        let metrics = try #require(report.decisions.last?.reading.metrics)
        #expect(metrics[.canaryFailures] == FailureCounts(7, of: 7))
        #expect(metrics[.activeUnits]?.total == canary.visits - 1)
        #expect(report.lost[.crashed] + report.lost[.unknown] > 0)
        let end = "at canary(2000) with 1 call of the new SDK under way"
        #expect(report.endings == "the app ended \(end), then \(end)")
    }

    @Test func `three crashes within ten minutes abort the upgrade, before the candidate is called again`() async throws
    {
        let fatal = Scenario(
            "fatal",
            "each call of the new SDK ends the app",
            in: [.candidate],
            .crashing(calls: 1),
            since: .canary,
            expected: .init(.rolledBack, losing: [.unknown, .crashed])
        )
        let report = try await ToyUpgrade.walk(fatal)
        #expect(report.problems.isEmpty)
        #expect(report.crashes.count == 3)
        #expect(report.log.map(\.request.action.name) == ["advance", "promote", "abort"])
        #expect(report.stages.last?.why == report.log.last?.request.reason)
        #expect(report.stages.last?.why.hasPrefix("three processes crashed within ten minutes") == true)
        #expect(report.lost[.crashed] + report.lost[.unknown] == 3)
        #expect(report.rest?.stage == .legacyOnly)
    }

    @Test func `a candidate that returns wrong data in the good scenario is rolled back, and fails it`() async throws {
        let upgrade = ToyUpgrade.make(services: { instance, store in
            instance == .legacy ? ToyUpgrade.honest(store) : Toy(read: { $0 }, write: { store.add($0) })
        })
        let report = try await ToyUpgrade.walk(.good, upgrade)
        #expect(report.outcome == .rolledBack)
        #expect(report.problems == ["expected arrived, got rolled back"])
        #expect(report.lost.isNothing)
    }

    @Test func `wrong data that only users see is found by the ledger, whatever the gate says`() async throws {
        // The shadow's copy is correct, so no comparison shows the fault.
        let upgrade = ToyUpgrade.make(services: { instance, store in
            instance == .candidate ? Toy(read: { $0 }, write: { store.add($0) }) : ToyUpgrade.honest(store)
        })
        let report = try await ToyUpgrade.walk(.good, upgrade)
        #expect(report.lost[.wrong] > 0)
        #expect(!report.isGreen)
    }

    @Test(arguments: [(2, Loss.Kind.duplicated), (0, .missing)])
    func `a write that is there twice, or not at all, is lost`(_ times: Int, _ kind: Loss.Kind) async throws {
        let upgrade = ToyUpgrade.make(services: { _, store in
            Toy(read: { $0 * 2 }, write: { key in for _ in 0..<times { store.add(key) } })
        })
        let report = try await ToyUpgrade.walk(.wrong, upgrade)
        #expect(report.lost[kind] > 0)
        #expect(report.lost.counts.count == 1)
        #expect(!report.isGreen)
    }

    @Test func `a refused write that was done all the same counts as lost too`() async throws {
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
        #expect(report.lost[.refusedButDone] > 0)
        #expect(report.lost[.refusedButDone] == report.lost[.failed])
    }

    @Test func `a limit that tolerates the fault is refused, and the highest one that does not rolls back`()
        async throws
    {
        var options = ToyUpgrade.options
        options.limit = 0.1
        try Scenario.wrong.check(limit: options.limit)
        #expect(try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options).problems.isEmpty)
        #expect(throws: TrafficProblem.self) { try Scenario.wrong.check(limit: 0.2) }
        #expect(throws: TrafficProblem.self) { try Scenario.laterOperation.check(limit: 0.04) }
        #expect(throws: TrafficProblem.self) { try Scenario.hangs.check(limit: 0.06) }
        #expect(throws: TrafficProblem.self) { try Scenario.answers.check(limit: 0.2) }
        for scenario in Scenario.all { try scenario.check(limit: 0.02) }
        for scenario in [Scenario.good, .slow, .crashing, .flapping, .legacyDown] { try scenario.check(limit: 0.9) }
    }

    @Test func `a scenario that could not falsify any answer is an error of the rehearsal`() async throws {
        var options = ToyUpgrade.options
        options.mix = try TrafficMix("write=1")
        await #expect(throws: TrafficProblem.self) { try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(), options) }
    }

    @Test func `a mix without an operation of the upgrade is an error of the rehearsal`() async throws {
        var options = ToyUpgrade.options
        options.mix = try TrafficMix("walk=1")
        await #expect(throws: TrafficProblem.self) { try await ToyUpgrade.walk(.good, ToyUpgrade.make(), options) }
    }
}
