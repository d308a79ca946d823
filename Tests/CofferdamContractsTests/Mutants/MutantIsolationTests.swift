import CofferdamContracts
import Testing

@Suite struct MutantIsolationTests {
    private static let crashing = Mutant<Subject>("kv/KV-01", "traps", crashes: true) { clean, effect in
        ChangedStore(clean: clean) { _ in
            effect.occurred()
            return nil
        }
    }
    private static let quiet = Mutant<Subject>("kv/KV-01", "forgets") { crashing.mutate($0, $1) }

    private func row(_ mutant: Mutant<Subject>, _ isolation: MutantIsolation?) async -> MutationRow {
        await MutationRunner(rules: [StoreContract.remembers], adapter: .dictionary, isolation: isolation).run(mutant)
    }

    @Test func `a mutant that declares its crash is killed when its process dies`() async {
        let died = MutantIsolation { _, _ in throw ProcessEnded(isCrash: true, "signal 5") }
        let row = await row(Self.crashing, died)
        #expect(row.outcome == .killed)
        #expect(row.detail == "signal 5")
    }

    @Test func `a mutant that does not declare its crash counts as crashed`() async {
        let died = MutantIsolation(.everything) { _, _ in throw ProcessEnded(isCrash: true, "signal 5") }
        #expect(await row(Self.quiet, died).outcome == .crashed)
    }

    @Test func `a process that exits without a report proves nothing`() async {
        let mute = MutantIsolation { _, _ in throw ProcessEnded(isCrash: false, "code 70") }
        #expect(await row(Self.crashing, mute).outcome == .notJudged)
    }

    @Test func `a mutant whose process does not end is timed out`() async {
        let overdue = MutantIsolation { _, _ in throw ProcessOverdue() }
        #expect(await row(Self.crashing, overdue).outcome == .timedOut)
    }

    @Test func `without processes a mutant that declares its crash is not judged, and not run`() async {
        #expect(await row(Self.crashing, nil).outcome == .notJudged)
    }

    @Test func `the clean adapter is run before any process is started (KIT-03)`() async {
        let never = MutantIsolation(.everything) { _, _ in
            Issue.record("a process was started")
            throw Broken()
        }
        let runner = MutationRunner(rules: [StoreContract.remembers], adapter: .constant, isolation: never)
        #expect(await runner.run(Self.quiet).outcome == .notJudged)
    }

    @Test func `the child runs the mutant itself, and its row is used`() async {
        let child = MutationRunner(rules: [StoreContract.remembers], adapter: .dictionary, place: .child)
        let isolation = MutantIsolation { _, _ in await child.run(Self.crashing) }
        let row = await row(Self.crashing, isolation)
        #expect(row.outcome == .killed)
        #expect(row.detail?.hasPrefix("without the declared crash: ") == true)
    }
}
