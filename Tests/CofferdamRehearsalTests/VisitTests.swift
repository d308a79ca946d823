import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct VisitTests {
    private static func visits(_ count: Int, _ change: (inout VisitHabits) -> Void = { _ in }) -> [Visit] {
        var habits = VisitHabits()
        change(&habits)
        return (0..<count).map { Visit(seed: 7, epoch: 3, number: $0, habits) }
    }

    @Test func `the same seed, epoch and number give the same visit`() {
        for (one, other) in zip(Self.visits(500), Self.visits(500)) {
            #expect(one.unit == other.unit)
            #expect(one.isReturning == other.isReturning)
            #expect(one.givesUpAfter == other.givesUpAfter)
            #expect(one.steps.map(\.key) == other.steps.map(\.key))
            #expect(one.steps.map(\.operationChance.kind) == other.steps.map(\.operationChance.kind))
        }
        let other = Visit(seed: 8, epoch: 3, number: 0, VisitHabits())
        #expect(other.steps.first?.operationChance.kind != Self.visits(1)[0].steps.first?.operationChance.kind)
    }

    @Test func `a visit has two to eight steps, each with its own key and chances`() {
        let visits = Self.visits(10_000)
        #expect(Set(visits.map(\.steps.count)) == Set(2...8))
        let mean = Double(visits.reduce(0) { $0 + $1.steps.count }) / 10_000
        #expect((2.45...2.55).contains(mean))
        #expect(visits.allSatisfy { $0.steps.map(\.index) == Array($0.steps.indices) })
        #expect(visits.allSatisfy { visit in visit.steps.allSatisfy { $0.unit == visit.unit } })
        let steps = visits.flatMap(\.steps)
        #expect(Set(steps.map(\.key)).count == steps.count)
        #expect(Set(steps.map(\.operationChance.kind)).count == steps.count)
    }

    @Test func `some units return within an epoch, long after their first visit, and all others are new`() {
        let visits = Self.visits(10_000)
        var last: [String: Int] = [:]
        for (number, visit) in visits.enumerated() {
            #expect(visit.isReturning == (last[visit.unit] != nil))
            if visit.isReturning { #expect(number >= 200) }
            last[visit.unit] = number
        }
        #expect((900...1_080).contains(visits.count { $0.isReturning }))
        #expect(Self.visits(10_000) { $0.returning = 0 }.allSatisfy { !$0.isReturning })
    }

    @Test func `some users give up, after a random time`() {
        let visits = Self.visits(10_000)
        let waits = visits.compactMap(\.givesUpAfter)
        #expect((150...250).contains(waits.count))
        #expect(waits.allSatisfy { (.milliseconds(2)...(.milliseconds(200))).contains($0) })
        #expect(Set(waits).count > 100)
        #expect(Self.visits(1_000) { $0.givingUp = 0 }.allSatisfy { $0.givesUpAfter == nil })
    }

    /// Two sides that never answer: a write is carried out while its caller waits.
    private static let silent = ToyUpgrade.make(services: { _, store in
        Toy(
            read: { number in
                try await untilCancelled()
                return number * 2
            },
            write: { key in
                store.add(key)
                try await untilCancelled()
            }
        )
    })

    private static func untilCancelled() async throws {
        // The trial before there are users gets an answer.
        guard VisitStep.current != nil else { return }
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            end.finish()
        }
        try Task.checkCancellation()
    }

    @Test func `a user who gives up is cancelled, and loses nothing, whatever becomes of a write`() async throws {
        var options = ToyUpgrade.options
        options.roundTrip = .zero
        options.mix = try TrafficMix("read=50,write=50")
        options.habits.givingUp = 1
        let report = try await ToyUpgrade.walk(.good, Self.silent, options)
        #expect(report.lost.isNothing, "\(report.lost.examples)")
        #expect(report.counts.givenUp > 1_000)
        #expect(report.counts.givenUp == report.counts.visits)
        #expect(report.counts.operations == report.counts.visits)
        // A cancelled call is no evidence for or against a side.
        #expect(report.outcome == .stuck)
        #expect(report.visiting.hasSuffix(", \(report.counts.givenUp) given up by users"))
    }

    @Test func `a write that was given up but done twice counts as a loss all the same`() async throws {
        var options = ToyUpgrade.options
        options.roundTrip = .zero
        options.mix = try TrafficMix("read=50,write=50")
        options.habits.givingUp = 1
        let upgrade = ToyUpgrade.make(services: { _, store in
            Toy(
                read: { $0 * 2 },
                write: { key in
                    for _ in 0..<2 { store.add(key) }
                    try await Self.untilCancelled()
                }
            )
        })
        let report = try await ToyUpgrade.walk(.good, upgrade, options)
        #expect(report.lost[.duplicated] > 0)
        #expect(report.lost.counts.count == 1)
    }

    @Test func `an error that is classified differently than intended is a problem of the rehearsal`()
        async throws
    {
        var upgrade = ToyUpgrade.make()
        upgrade.failure = { _ in ToyError(meaning: .unsent) }
        await #expect(throws: TrafficProblem.self) { try await ToyUpgrade.walk(.answers, upgrade) }
    }

    @Test func `a report shows how many units there were at each stage, and what they did`() async throws {
        let report = try await ToyUpgrade.walk(.good)
        let stages = report.stages
        #expect(stages.allSatisfy { $0.counts.visits == $0.visits && $0.counts.operations > 2 * $0.visits })
        #expect(report.counts.visits == stages.reduce(0) { $0 + $1.visits })
        #expect(report.calls == report.counts.operations)
        #expect(stages[0].counts.units >= ToyUpgrade.options.baseline)
        #expect(stages[0].counts.returning > 0)
        let text = ScenarioSummary(report).render(TerminalStyle(isColoured: false))
        #expect(text.replacing("\n", with: " ").contains(report.visiting))
        #expect(ScenarioPage([report]).html().contains("<dt>visits</dt><dd>\(report.visiting)</dd>"))
    }
}
