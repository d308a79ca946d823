import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct StreamTrafficTests {
    private static func walk(
        _ scenario: Scenario,
        _ feed: ToyFeed = ToyFeed(),
        stages: [Stage] = ScenarioOptions().stages,
        mix: String? = nil
    ) async throws -> ScenarioReport {
        var options = try ToyUpgrade.following
        options.stages = stages
        if let mix { options.mix = try TrafficMix(mix) }
        return try await ToyUpgrade.walk(scenario, ToyUpgrade.make(feed: feed), options)
    }

    /// Stages in which all streams move at once.
    private static let short: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .candidateWithFallback, .candidateOnly,
    ]
    private static let itemLosses: Set<Loss.Kind> = [.skipped, .repeated, .misplaced]

    @Test(arguments: UpgradeWalkTests.courses)
    func `streams do not change how a scenario ends, and no item is lost`(
        _ course: UpgradeWalkTests.Course
    ) async throws {
        let scenario = try #require(Scenario.all.first { $0.name == course.name })
        let report = try await Self.walk(scenario, mix: course.mix.map { "\($0),follow=5" })
        #expect(report.problems.isEmpty, "\(report.lost.examples)")
        #expect(report.log.map(\.request.action.name) == course.steps)
        #expect(report.stages.last?.stage == course.end)
        #expect(Set(report.lost.counts.keys).isDisjoint(with: Self.itemLosses))
        #expect(Set(report.lost.counts.keys).isSubset(of: scenario.expected.losses))
        let streams = try #require(report.streams)
        #expect(streams.followed >= 4)
        #expect(streams.items > 100)
    }

    @Test func `streams move to the new side with their units`() async throws {
        let report = try await Self.walk(.good)
        let streams = try #require(report.streams)
        #expect(report.lost.isNothing)
        // There are more subscriptions than streams; the additional ones are moves.
        #expect(streams.subscriptions["legacy", default: 0] >= 4)
        #expect(streams.subscriptions.values.reduce(0, +) > streams.followed)
        #expect(
            report.following?.hasPrefix("\(streams.followed) streams delivered \(streams.items) items, through ")
                == true
        )
    }

    @Test(arguments: [RehearsedInstance.legacy, .candidate])
    func `no item is lost at a move because one side is late`(_ side: RehearsedInstance) async throws {
        let report = try await Self.walk(.good, ToyFeed(late: side), stages: Self.short)
        #expect(report.lost.isNothing, "\(report.lost.examples)")
        #expect(report.streams?.subscriptions["candidate", default: 0] ?? 0 > 0)
    }

    @Test func `streams go back at a rollback`() async throws {
        let scenario = Scenario(
            "late",
            "the new SDK fails when everybody is there",
            in: [.candidate],
            .refusingInTurns(calls: 40),
            since: .candidateWithFallback,
            expected: .init(.rolledBack, losing: [.broken])
        )
        let feed = ToyFeed()
        let report = try await Self.walk(scenario, feed, stages: Self.short)
        #expect(report.problems.isEmpty, "\(report.lost.examples)")
        #expect(report.stages.last?.stage == .candidateWithFallback)
        #expect(feed.maxFollowers(of: .candidate) > 0)
        #expect(feed.followers(of: .candidate) == 0)
        #expect(Set(report.lost.counts.keys).isDisjoint(with: Self.itemLosses))
    }

    @Test func `a side that goes down ends its streams, and their followers continue on the other side`() async throws {
        let report = try await Self.walk(.legacyDown)
        #expect(report.outcome == .rescued)
        #expect(report.lost[.broken] > 0)
        #expect(report.lost.examples.contains { $0.hasPrefix("broken: toys: unit-") })
    }

    @Test func `a crash of the app cuts streams off, and they are followed again`() async throws {
        let report = try await Self.walk(.crashing)
        #expect(report.lost[.broken] > 0)
        #expect(report.lost.examples.contains { $0.hasSuffix("canary(2000): the app ended") })
        #expect(try #require(report.streams).followed > 4)
    }

    /// A wrong delivery of some items by the new side.
    struct Lie: Sendable, CustomTestStringConvertible {
        var kind: Loss.Kind
        var telling: @Sendable (String) -> [String]
        var testDescription: String { kind.rawValue }
    }

    static let lies = [
        Lie(kind: .skipped) { _ in [] },
        Lie(kind: .gap) { ["gap", $0] },
        Lie(kind: .wrong) { [$0, "invented \($0)"] },
    ]

    @Test(arguments: lies)
    func `what the new side does to an item is reported as a problem`(_ lie: Lie) async throws {
        let feed = ToyFeed(telling: [.candidate: ToyFeed.sometimes(lie.telling)])
        let report = try await Self.walk(.good, feed, stages: Self.short)
        #expect(report.outcome == .arrived)
        #expect(Set(report.lost.counts.keys) == [lie.kind])
        #expect(report.problems == ["users lost \(report.lost[lie.kind]) \(lie.kind.words(report.lost[lie.kind]))"])
        #expect(report.lost.examples.allSatisfy { $0.hasPrefix("\(lie.kind.rawValue): toys: unit-") })
    }

    @Test func `a side that delivers nothing at all is not mistaken for a quiet one`() async throws {
        var options = try ToyUpgrade.following
        options.stages = Self.short
        options.lastItem = .milliseconds(1)
        let feed = ToyFeed(telling: [.legacy: { _, _ in [] }, .candidate: { _, _ in [] }])
        let report = try await ToyUpgrade.walk(.good, ToyUpgrade.make(feed: feed), options)
        #expect(report.lost[.skipped] == 4)
        #expect(report.lost.examples.allSatisfy { $0.hasSuffix("nothing more came") })
        #expect(!report.isGreen)
    }

    @Test func `a silent side is also found by followers who have left it`() async throws {
        var options = try ToyUpgrade.following
        options.lastItem = .milliseconds(1)
        options.followingDelay = .milliseconds(500)
        let telling: ToyFeed.Telling = { key, _ in key.contains("last") ? [key] : [] }
        let feed = ToyFeed(telling: [.legacy: telling, .candidate: telling])
        let report = try await ToyUpgrade.walk(.good, ToyUpgrade.make(feed: feed), options)
        #expect(report.lost.examples.contains { $0.hasSuffix("before it ended") })
        #expect(!report.isGreen)
    }

    @Test func `an item that the new side delivers twice arrives once`() async throws {
        let feed = ToyFeed(telling: [.candidate: { key, _ in [key, key] }])
        #expect(try await Self.walk(.good, feed, stages: Self.short).lost.isNothing)
    }

    @Test func `a mix without followers has no streams`() async throws {
        var options = ToyUpgrade.options
        options.mix = try TrafficMix("read=85,write=15")
        let report = try await ToyUpgrade.walk(.wrong, ToyUpgrade.make(feed: ToyFeed()), options)
        #expect(report.streams?.followed == 0)
        #expect(report.problems.isEmpty)
    }

    @Test func `the same seed gives the same losses`() async throws {
        let one = try await Self.walk(.legacyDown)
        let other = try await Self.walk(.legacyDown)
        // A lost stream is noticed concurrently with the calls. No seed determines how soon, and so who subscribes
        // again.
        let chance: Set<Loss.Kind> = [.broken, .gap]
        func ofCalls(_ loss: Loss) -> [Loss.Kind: Int] { loss.counts.filter { !chance.contains($0.key) } }
        #expect(ofCalls(one.lost) == ofCalls(other.lost))
        #expect(one.decisions == other.decisions)
    }
}
