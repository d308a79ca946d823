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

    @Test func `what the harness cannot do is no failure of the adapter (BIN-01, BIN-03, BIN-04, BIN-07)`() async {
        let unmet = UnmetRequirements(harnessCapabilities: ["covers"])
        func unjudged(seeds: Bool) async -> [RuleID] {
            let cover = BinaryOperation<Shelf, Int>(
                call: shelf("cover", \.cover),
                seed: { shelf, bytes in
                    guard seeds else { throw unmet }
                    let book = shelf.vendor.add()
                    shelf.vendor.state.withLock { $0.covers[book.id] = bytes }
                    return book.id
                },
                vendor: BinaryEvidence(
                    inject: { _, _ in throw unmet },
                    waitForHeld: { _, _ in },
                    files: PortCall("files", get: { _ in { _ in [] } }, replace: { shelf, _ in shelf })
                ),
                isPortError: { _ in true },
                isTruncated: { _ in true },
                nonsense: .passedOn
            )
            let rows = await ContractRunner(rules: cover.rules, adapters: [.shelf]).run().rows
            return rows.filter { $0.missingHarnessCapabilities == ["covers"] }.map(\.rule)
        }
        #expect(await unjudged(seeds: false) == ["BIN-01", "BIN-02", "BIN-03", "BIN-04", "BIN-06", "BIN-07"])
        #expect(await unjudged(seeds: true) == ["BIN-02", "BIN-03", "BIN-04", "BIN-06"])
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
