import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// Checks the rules of time that do not apply to Sanctuary's ports: a separate idle timeout, and pauses between
/// attempts.
@Suite struct TimeFamilyTests {
    private let adapter = AdapterUnderTest(name: "line") { Line() }

    private func report(
        _ rule: RuleID,
        _ line: Line = Line(),
        clock: any Clock<Duration> = FastClock()
    ) async -> ContractReport {
        let adapter = AdapterUnderTest(name: "line") { line }
        return await ContractRunner(
            rules: LineContract.operation.rules.filter { $0.id == rule },
            adapters: [adapter],
            clock: clock
        ).run()
    }

    @Test func `a port with an idle time and pauses keeps the rules of both`() async {
        for rule in ["TIME-01", "TIME-02", "TIME-03", "TIME-05", "TIME-06", "TIME-07", "TIME-08"] as [RuleID] {
            let report = await report(rule, clock: ContinuousClock())
            #expect(report.rows.map(\.outcome) == [.passed], "\(rule): \(report.rows.first?.detail ?? "")")
        }
    }

    @Test func `each mutant of it is killed by its own rule`() async {
        for mutant in LineContract.operation.mutants where mutant.rule != "TIME-04" {
            let row = await MutationRunner(rules: LineContract.operation.rules, adapter: adapter, clock: FastClock())
                .run(mutant)
            #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
        }
    }

    @Test func `a port without an idle timeout waits for the whole deadline, and is caught`() async {
        var line = Line()
        line.idle = nil
        let report = await report("TIME-02", line)
        #expect(report.rows.first?.detail?.contains("an idle time of 6.0 seconds") == true)
    }

    @Test func `a late answer that is given to the next question is caught`() async {
        var line = Line()
        line.keepsLateAnswers = true
        let report = await report("TIME-07", line)
        #expect(report.rows.map(\.outcome) == [.failed])
        #expect(report.rows.first?.detail?.contains("an answer to one question") == true)
    }

    @Test(arguments: [(3, ContractReport.Outcome.passed), (4, .failed)])
    func `a connection that is tried too often is caught`(_ reconnections: Int, _ outcome: ContractReport.Outcome) async
    {
        var line = Line()
        line.reconnections = reconnections
        #expect(await report("TIME-08", line).rows.map(\.outcome) == [outcome])
    }

    /// A twentieth of it is less than the shortest pause that the rule looks for.
    @Test func `a port with a short deadline is judged too`() async {
        var line = Line()
        line.deadline = .milliseconds(199)
        #expect(await report("TIME-08", line, clock: ContinuousClock()).rows.map(\.outcome) == [.passed])
    }

    @Test func `the rule about other questions skips a call without input, with the reason`() async {
        let asked = LineContract.operation.calls[0]
        let call = ProbedCall(
            asked.call,
            isReading: true,
            inject: asked.inject,
            arrivals: asked.arrivals,
            waitForArrivals: asked.waitForArrivals
        )
        let operation = TimeOperation<Line>(
            calls: [call],
            clock: \.clock,
            deadline: \.deadline,
            prepare: LineContract.operation.prepare,
            held: LineContract.operation.held,
            isTimeout: LineContract.operation.isTimeout,
            retryAfter: { _ in nil }
        )
        let rules = operation.rules.filter { $0.id == "TIME-07" }
        let row = await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first
        #expect(row?.outcome == .skipped)
        #expect(row?.detail?.contains("no other question") == true)
        #expect(!operation.mutants.contains { $0.rule == "TIME-07" })
    }

    private static let wrongPauses: [(seconds: [Int], found: String)] = [
        ([], "ended before"), ([1], "ended before"), ([0, 0], "a pause of"), ([9, 2], "a pause of"),
        ([1, 2, 4], "gives up"),
    ]

    @Test(arguments: wrongPauses)
    func `pauses that are too few, too many, too short or too long are caught`(
        _ seconds: [Int],
        _ found: String
    ) async {
        var line = Line()
        line.pauses = seconds.map { .seconds($0) }
        let report = await report("TIME-05", line)
        #expect(report.rows.map(\.outcome) == [.failed])
        #expect(report.rows.first?.detail?.contains(found) == true, "\(report.rows.first?.detail ?? "")")
    }
}
