import CofferdamContracts
import Testing

@Suite struct IsolationTests {
    private static let trapping = Rule<Subject>("kv/KV-09", "Traps", bound: .seconds(1)) { _, _ in
        preconditionFailure("this never runs in the process of the tests")
    }

    private func rows(_ isolation: CaseIsolation) async -> [ContractReport.Row] {
        await ContractRunner(
            rules: [Self.trapping],
            adapters: [.dictionary.identified(as: AdapterIdentity(.live))],
            isolation: isolation
        ).run().rows
            + ContractRunner(rules: [StoreContract.forgets], adapters: [.dictionary], isolation: isolation).run().rows
    }

    @Test func `a case whose process dies is crashed, and the run goes on`() async {
        let rows = await rows(CaseIsolation { _, _ in throw ProcessEnded(isCrash: true, "signal 5: Fatal error") })
        #expect(rows.map(\.outcome) == [.crashed, .passed])
        #expect(rows.first?.detail == "signal 5: Fatal error")
    }

    @Test func `a case whose process does not end is timed out, with the limit that it was given`() async {
        let rows = await rows(
            CaseIsolation { _, limit in
                #expect(limit == .seconds(26))
                throw ProcessOverdue()
            }
        )
        #expect(rows.map(\.outcome) == [.timedOut, .passed])
        #expect(rows.first?.detail == "its process did not end within 26.0 seconds")
    }

    @Test func `the other process's row is used, if it is for the same pair`() async {
        let other = Made.row("kv/KV-09", "dictionary", .failed, "from there")
        #expect(await rows(CaseIsolation { _, _ in other }).first == other)
        let foreign = await rows(CaseIsolation { _, _ in Made.row("kv/KV-01", "dictionary") })
        #expect(foreign.first?.outcome == .crashed)
        #expect(foreign.first?.detail == "its process reported kv/KV-01 on dictionary")
    }

    @Test func `a process that cannot be run is not a pass`() async {
        let rows = await rows(CaseIsolation { _, _ in throw Broken() })
        #expect(rows.map(\.outcome) == [.crashed, .passed])
        #expect(rows.first?.detail == "its process could not be run: Broken()")
    }

    @Test func `with everything isolated, every pair has a process of its own`() async {
        let rows = await rows(CaseIsolation(.everything) { id, _ in Made.row(id.rule, id.adapter) })
        #expect(rows.map(\.rule) == ["kv/KV-09", "kv/KV-02"])
        #expect(rows.allSatisfy { $0.seconds == 0.25 })
    }
}
