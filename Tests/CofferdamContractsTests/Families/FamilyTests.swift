import Cofferdam
import CofferdamContracts
import Testing

@Suite struct FamilyTests {
    @Test func `a port that has everything its description says keeps the rules`() async {
        let report = await ContractRunner(rules: ShelfContract.rules, adapters: [.shelf]).run()
        #expect(Set(report.rows.map(\.rule)) == ShelfContract.ids)
        #expect(report.rows.filter { $0.outcome != .passed }.map { "\($0.rule): \($0.detail ?? "")" } == [])
    }

    @Test(arguments: ShelfContract.mutants.indices)
    func `each mutant of it is killed by its own rule`(_ index: Int) async {
        let mutant = ShelfContract.mutants[index]
        let row = await MutationRunner(rules: ShelfContract.rules, adapter: .shelf).run(mutant)
        #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
    }

    @Test func `progress that is reported after the end is caught (BIN-09)`() async throws {
        let adapter = AdapterUnderTest(name: "shelf", capabilities: ["progress"]) {
            var shelf = Shelf()
            let before = Mutex<ReportedInput<Int>?>(nil)
            shelf.coverWithProgress = { [clean = shelf.coverWithProgress] cover in
                before.withLock { $0 }?.report(0.5)
                before.withLock { $0 = cover }
                try await clean(cover)
            }
            return shelf
        }
        let rules = ShelfContract.cover.rules.filter { $0.id == "BIN-09" }
        let row = try #require(await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first)
        let expected = ["returned", "failed", "cancelled"].map { "\($0): reported [0.5] after the end" }
        #expect(row.detail == expected.joined(separator: "; "))
    }

    @Test func `each of those rules has a mutant`() {
        #expect(Set(ShelfContract.mutants.map(\.rule)) == ShelfContract.ids)
    }

    @Test func `an adapter that declares a capability without a description of it breaks the rule`() async {
        let rules = BinaryUpload<Shelf>.rules(of: nil)
        let report = await ContractRunner(rules: rules, adapters: [.shelf]).run()
        #expect(report.rows.map(\.outcome) == [.failed])
    }
}
