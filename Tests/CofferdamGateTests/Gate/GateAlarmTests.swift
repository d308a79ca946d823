import Cofferdam
import CofferdamGate
import Foundation
import Testing
import UpgradeTestSupport

/// What begins to fail after the units were counted.
@Suite struct GateAlarmTests {
    private static let canary = Stage.canary(share: 500)

    /// The decision after good hours and one more.
    private static func decision(
        at stage: Stage,
        candidate: FailureCounts,
        legacy: FailureCounts? = nil,
        of operation: String? = nil,
        _ change: (inout GateReading) -> Void = { _ in }
    ) throws -> Decision {
        func metric(_ side: Side) -> Metric {
            let metric = Metric.newly(.failed, on: side)
            return operation.map(metric.of) ?? metric
        }
        let baseline = LegacyBaseline(
            units: FailureCounts(0, of: 10_000),
            operations: ["search": .init(units: FailureCounts(0, of: 5_000), isRead: true, slowNanoseconds: 1)]
        )
        let gate = try Readings.plan().attempt(1, against: baseline).gate(at: stage)
        return gate.decide(
            Readings.good(at: stage) { reading in
                reading.hours = (0..<10).map { hour in
                    var metrics = [metric(.candidate): FailureCounts(0, of: 1_000)]
                    if legacy != nil { metrics[metric(.legacy)] = FailureCounts(0, of: 19_000) }
                    return VisitCounts(hour: 490_000 + Int64(hour), metrics)
                }
                var last = [metric(.candidate): candidate]
                if let legacy { last[metric(.legacy)] = legacy }
                reading.hours?.append(VisitCounts(hour: 490_010, last))
                change(&reading)
            }
        )
    }

    @Test(arguments: [Stage.candidateWithFallback, .candidateOnly, .canary(share: .all)])
    func `a candidate that breaks after all its units were counted goes back`(_ stage: Stage) throws {
        let decision = try Self.decision(at: stage, candidate: FailureCounts(6, of: 6))
        #expect(decision.verdict == .rollBack)
        #expect(decision.reasons.map(\.code) == [.alarm])
        let reason = try #require(decision.reasons.first)
        #expect(
            reason.description.contains(
                "since 2025-11-25T02:00:00Z, 6 of 6 units newly failed on the candidate; the limit is"
            ),
            "\(reason)"
        )
        #expect(decision.contradictions() == [])
        let copy = try JSONDecoder().decode(Decision.self, from: JSONEncoder().encode(decision))
        #expect(copy.contradictions() == [])
        #expect(decision.explanation.contains("rings"))
    }

    @Test func `what befalls both sides alike rings no alarm`() throws {
        let both = try Self.decision(
            at: Self.canary,
            candidate: FailureCounts(50, of: 100),
            legacy: FailureCounts(950, of: 1_900)
        )
        #expect(both.verdict != .rollBack)
        let one = try Self.decision(
            at: Self.canary,
            candidate: FailureCounts(50, of: 100),
            legacy: FailureCounts(2, of: 1_900)
        )
        #expect(one.reasons.map(\.code) == [.alarm])
    }

    @Test func `an operation is judged by itself`() throws {
        let rare = try Self.decision(at: .candidateOnly, candidate: FailureCounts(8, of: 9), of: "search")
        #expect(rare.reasons.map(\.metric) == [Metric.newly(.failed, on: .candidate).of("search")])
        let unknown = try Self.decision(at: .candidateOnly, candidate: FailureCounts(8, of: 9), of: "unknown")
        #expect(unknown.verdict != .rollBack)
    }

    @Test(arguments: [FailureCounts(0, of: 1_000), FailureCounts(1, of: 1_000), FailureCounts(2, of: 2)])
    func `a candidate that goes on well stays, and so does one of whom little is known`(_ counts: FailureCounts) throws
    {
        #expect(try Self.decision(at: .candidateOnly, candidate: counts).verdict == .hold)
    }

    @Test(arguments: [
        (Array(0..<24), nil), ([], nil), ([21, 22, 23, 0, 1, 7], "7 to 8 h, 21 to 2 h"), ([0], "0 to 1 h"),
        (Array(1..<24), "1 to 0 h"),
    ]) func `a promotion says in which hours of the day the candidate was seen`(_ hours: [Int], _ text: String?) throws
    {
        let stage = Stage.candidateWithFallback
        let decision = try Readings.plan().gate(at: stage).decide(
            Readings.good(at: stage) { reading in
                reading.hours = hours.map {
                    VisitCounts(hour: Int64(480_000 + $0), [.newly(.failed, on: .candidate): FailureCounts(0, of: 10)])
                }
            }
        )
        #expect(decision.verdict == .promote)
        let reason = try #require(decision.reasons.first).description
        #expect(
            text.map { reason.hasSuffix("; the candidate was seen from \($0) UTC only") } ?? !reason.contains("UTC")
        )
    }

    @Test func `where the candidate answers no one, only operations with a stage of their own have an alarm`() throws {
        #expect(try Readings.plan().gate(at: .legacyOnly).alarms == nil)
        #expect(try Readings.plan().gate(at: .shadow(sample: .all)).alarms?.contains(where: \.isCompared) == false)
    }

    @Test func `all alarms of a gate together ring falsely once in ten years at most`() throws {
        for stage in Readings.stages {
            let alarms = try Readings.plan().gate(at: stage).alarms ?? []
            #expect(alarms.reduce(0) { $0 + $1.alpha } * 87_660 <= 1.000_001)
        }
    }
}

@Suite struct NamedAnewTests {
    @Test(
        arguments: [
            (FailureCounts(400, of: 1_000), FailureCounts(500, of: 1_000), 30, false),
            (FailureCounts(240, of: 1_000), FailureCounts(500, of: 1_000), 1, true),
            (FailureCounts(0, of: 900), FailureCounts(500, of: 1_000), 30, false),
            (FailureCounts(0, of: 1_000), FailureCounts.none, 24, true),
            // They may come back tomorrow.
            (FailureCounts(0, of: 1_000), FailureCounts.none, 23, false),
            (FailureCounts(1, of: 1_000), FailureCounts.none, 30, false),
        ] as [(FailureCounts, FailureCounts, Int64, Bool)]
    )
    func `units that never come back are told, compared with the legacy side's`(
        candidate: FailureCounts,
        legacy: FailureCounts,
        hours: Int64,
        isTold: Bool
    ) {
        let visits = [
            VisitCounts(hour: 100, [.returning(on: .candidate): candidate]),
            VisitCounts(hour: 100 + hours, [.returning(on: .legacy): legacy]),
        ]
        #expect((visits.namedAnew != nil) == isTold, "\(visits.namedAnew ?? "nothing")")
    }
}
