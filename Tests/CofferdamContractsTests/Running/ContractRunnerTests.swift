import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct ContractRunnerTests {
    private func row(
        _ rule: Rule<Subject>,
        on adapter: AdapterUnderTest<Subject> = .dictionary
    ) async throws -> ContractReport.Row {
        let report = await ContractRunner(rules: [rule], adapters: [adapter]).run()
        return try #require(report.rows.first)
    }

    @Test func `a rule without violations has passed`() async throws {
        let row = try await row(StoreContract.remembers)
        #expect(row.outcome == .passed)
        #expect(row.detail == nil)
    }

    @Test func `a failed rule says what was expected and what was returned`() async throws {
        let row = try await row(StoreContract.remembers, on: .constant)
        #expect(row.outcome == .failed)
        let detail = try #require(row.detail)
        #expect(detail.contains("\"b\"") && detail.contains("\"always\""))
    }

    @Test(arguments: [Broken() as any Error, CancellationError()])
    func `a rule that throws fails, with the error`(_ error: any Error) async throws {
        let row = try await row(StoreContract.throwing(error))
        #expect(row.outcome == .failed)
        #expect(row.detail == "threw \(error)")
    }

    @Test(arguments: [
        UnmetRequirements(harnessCapabilities: ["truncation"]), UnmetRequirements(inapplicability: "it has no end"),
    ])
    func `a violation counts although a later step of the rule cannot be made`(_ unmet: UnmetRequirements) async throws
    {
        func rule(_ faults: [String]) -> Rule<Subject> {
            Rule("kv/KV-08", "Is half judged") { _, context in
                var findings = Findings()
                for fault in faults {
                    guard fault != "truncated" else { throw unmet }
                    // Also what a task of the rule finds, and each violation once.
                    let found = try await context.task {
                        var findings = Findings()
                        findings.add("\(fault): written twice")
                        return findings.violations
                    }.value
                    for violation in found { findings.add(violation.detail) }
                }
                return findings.violations
            }
        }
        let half = try await row(rule(["reset", "truncated"]))
        #expect(half.outcome == .failed)
        #expect(half.detail == "reset: written twice")
        #expect(half.missingHarnessCapabilities == nil)
        // The next case starts without violations.
        #expect(try await row(rule(["truncated"])).outcome == .skipped)
    }

    @Test func `an adapter that cannot be opened fails`() async throws {
        let row = try await row(StoreContract.remembers, on: AdapterUnderTest(name: "shut") { throw Broken() })
        #expect(row.outcome == .failed)
        #expect(row.detail == "shut could not be opened: Broken()")
    }

    @Test func `a rule whose capability is not declared is skipped with the reason (KIT-04)`() async throws {
        let report = await ContractRunner(
            rules: [StoreContract.remembers, StoreContract.expires],
            adapters: [.dictionary]
        ).run()
        #expect(report.rows.map(\.outcome) == [.passed, .skipped])
        #expect(report.rows.last?.detail == "dictionary does not declare expiry")
        #expect(report.rows.map(\.missingCapabilities) == [nil, ["expiry"]])
        #expect(report.isGreen)
    }

    @Test func `a run that executed nothing is not green (KIT-01)`() async {
        let skipped = await ContractRunner(rules: [StoreContract.expires], adapters: [.dictionary]).run()
        #expect(!skipped.isGreen)
        #expect(skipped.problems == ["no rule was run"])
        let nothing = await ContractRunner<Subject>(rules: [], adapters: []).run()
        #expect(!nothing.isGreen)
    }

    @Test func `every case gets a fresh subject (KIT-09)`() async {
        let writes = Rule<Subject>("kv/KV-06", "Writes") { store, _ in
            try await store.set("something", for: "nothing")
            return []
        }
        let report = await ContractRunner(rules: [writes, StoreContract.forgets], adapters: [.dictionary]).run()
        #expect(report.rows.map(\.outcome) == [.passed, .passed])
    }

    @Test func `rows are reported as they arrive, adapter by adapter`() async {
        var reported: [String] = []
        let report = await ContractRunner(
            rules: [StoreContract.remembers, StoreContract.forgets],
            adapters: [.dictionary, .constant]
        ).run { reported.append("\($0.rule) \($0.adapter) \($0.outcome)") }
        #expect(
            reported == [
                "kv/KV-01 dictionary passed", "kv/KV-02 dictionary passed",
                "kv/KV-01 constant failed", "kv/KV-02 constant failed",
            ]
        )
        #expect(report.problems.isEmpty)
        #expect(!report.isGreen)
    }

    @Test func `a rule that hangs is abandoned on the clock, and the run goes on`() async throws {
        let (gate, started, clock) = (TestGate(), TestGate(), TestClock())
        let runner = ContractRunner(
            rules: [StoreContract.hanging(on: gate, started: started), StoreContract.forgets],
            adapters: [.dictionary],
            clock: clock,
            patience: 3
        )
        let run = Task { await runner.run() }
        await started.pass()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3))
        let report = await run.value
        gate.open()
        #expect(report.rows.map(\.outcome) == [.timedOut, .passed])
        #expect(report.rows.first?.detail == "not finished within 3.0 seconds")
        #expect(report.rows.first?.seconds == 3)
        #expect(!report.isGreen)
    }

    @Test func `what a rule waits for is bounded by the rule, as a violation`() async throws {
        let (gate, started, clock) = (TestGate(), TestGate(), TestClock())
        let rule = Rule<Subject>("kv/KV-07", "Waits", bound: .seconds(1)) { _, context in
            started.open()
            try await context.within("the gate opens") { await gate.pass() }
            return []
        }
        let runner = ContractRunner(rules: [rule], adapters: [.dictionary], clock: clock)
        let run = Task { await runner.run() }
        await started.pass()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        let row = try #require(await run.value.rows.first)
        gate.open()
        #expect(row.outcome == .failed)
        #expect(row.detail == "not within 1.0 seconds: the gate opens")
    }

    @Test func `a cancelled run is incomplete and not green`() async {
        let (gate, started) = (TestGate(), TestGate())
        let runner = ContractRunner(
            rules: [StoreContract.forgets, StoreContract.hanging(on: gate, started: started)],
            adapters: [.dictionary]
        )
        let run = Task { await runner.run() }
        await started.pass()
        run.cancel()
        let report = await run.value
        gate.open()
        #expect(report.rows.map(\.rule) == ["kv/KV-02"])
        #expect(report.problems == ["the run is incomplete: it was interrupted, and 1 case was left"])
    }
}
