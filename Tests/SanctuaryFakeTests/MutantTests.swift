import CofferdamContracts
import SanctuaryContracts
import SanctuaryFake
import Testing

@Suite struct MutantTests {
    @Test(.serialized, arguments: SanctuaryContract.mutants.indices)
    func `each mutant is killed by its own rule, which the clean fake passes`(_ index: Int) async {
        let mutant = SanctuaryContract.mutants[index]
        let row = await MutationRunner(rules: SanctuaryContract.rules, adapter: .fake).run(mutant)
        #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
    }

    @Test func `every rule has a mutant (KIT-02)`() {
        let rules = Set(SanctuaryContract.rules.map(\.id))
        #expect(rules.subtracting(unported) == Set(SanctuaryContract.mutants.map(\.rule)))
    }
}
