import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Foundation
import Testing

/// Checks runs that end before their last case.
@Suite(.timeLimit(.minutes(1))) struct StoppedRunTests {
    private static let passing = Rule<Int>("kv/KV-01", "Passes") { _, _ in [] }
    private static let failing = Rule<Int>("kv/KV-02", "Fails") { _, _ in [Violation("broken")] }
    private static let last = Rule<Int>("kv/KV-03", "Passes, too") { _, _ in [] }
    private static let rules = [passing, failing, last]
    private static let adapter = AdapterUnderTest<Int>(name: "one", open: { 1 })

    @Test func `a run that fails fast ends with the first row that fails, and says that it is not whole`() async throws
    {
        let report = await ContractRunner(rules: Self.rules, adapters: [Self.adapter], failsFast: true).run()
        #expect(report.rows.map(\.rule) == ["kv/KV-01", "kv/KV-02"])
        #expect(report.stop == "kv/KV-02 on one failed, and 1 case was left")
        #expect(!report.isWhole && !report.isGreen)
        #expect(report.problems == ["the run is incomplete: kv/KV-02 on one failed, and 1 case was left"])
        let read = try JSONDecoder().decode(ContractReport.self, from: JSONEncoder().encode(report))
        #expect(read.problems == report.problems && read.stop == report.stop && !read.isWhole)
    }

    @Test func `a known failure does not end the run`() async throws {
        let known = KnownDeviation(
            .rule("kv/KV-02", on: "one"),
            reason: "it is broken",
            link: "https://example.org/1",
            expires: "2999-01-01"
        )
        let report = await ContractRunner(
            rules: Self.rules,
            adapters: [Self.adapter],
            deviations: [known],
            failsFast: true
        ).run()
        #expect(report.rows.count == 3 && report.stop == nil)
    }

    @Test func `a failure in the last case leaves nothing out`() async {
        let rules = [Self.passing, Self.failing]
        let report = await ContractRunner(rules: rules, adapters: [Self.adapter], failsFast: true).run()
        #expect(report.stop == nil && report.isWhole && !report.isGreen)
    }

    @Test func `an interrupted run keeps its rows, reports what began, and is not green`() async {
        let gate = TestGate()
        let hanging = Rule<Int>("kv/KV-02", "Hangs", bound: .seconds(1000)) { _, _ in
            gate.open()
            try await untilCancelled()
            return []
        }
        let begun = Mutex<[String]>([])
        let run = Task {
            await ContractRunner(rules: [Self.passing, hanging, Self.last], adapters: [Self.adapter]).run { _ in
            } onBegin: { id in
                begun.withLock { $0.append("\(id)") }
            }
        }
        await gate.pass()
        run.cancel()
        let report = await run.value
        #expect(report.rows.map(\.rule) == ["kv/KV-01"])
        #expect(report.stop == "it was interrupted, and 2 cases were left")
        #expect(!report.isGreen)
        #expect(begun.withLock { $0 } == ["kv/KV-01 on one", "kv/KV-02 on one"])
    }

    @Test func `interrupted mutants have no rows, and the report is not green`() async {
        let gate = TestGate()
        let hanging = Mutant<Int>("kv/KV-01", "hangs") { subject, effect in
            effect.occurred()
            gate.open()
            return 2
        }
        let rule = Rule<Int>("kv/KV-01", "Is one", bound: .seconds(1000)) { subject, _ in
            if subject == 2 { try await untilCancelled() }
            return []
        }
        let run = Task {
            await MutationRunner(rules: [rule], adapter: Self.adapter).run([hanging, hanging.of("other")])
        }
        await gate.pass()
        run.cancel()
        let report = await run.value
        #expect(report.rows.isEmpty && !report.isGreen)
        #expect(report.problems == ["the run is incomplete: it was interrupted, and 2 mutants were left"])
    }
}

/// Hangs like a rule that waits for its vendor.
private func untilCancelled() async throws {
    let cancelled = TestGate()
    await withTaskCancellationHandler {
        await cancelled.pass()
    } onCancel: {
        cancelled.open()
    }
    throw CancellationError()
}
