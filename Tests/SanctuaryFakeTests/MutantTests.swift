import CofferdamContracts
import CofferdamTesting
import SanctuaryContracts
import SanctuaryFake
import Testing

@Suite struct MutantTests {
    /// Those whose rule applies to the fake.
    private static let mutants = SanctuaryContract.mutants.filter { mutant in
        contractCases(SanctuaryContract.rules, [.fake]).contains { $0.rule.id == mutant.rule }
    }

    @Test(.serialized, arguments: mutants.indices)
    func `each mutant is killed by its own rule, which the clean fake passes`(_ index: Int) async {
        let mutant = Self.mutants[index]
        let row = await MutationRunner(rules: SanctuaryContract.rules, adapter: .fake).run(mutant)
        #expect(row.outcome == .killed, "\(mutant.rule) \(mutant.name): \(row.detail ?? "no detail")")
    }

    @Test func `every rule has a mutant (KIT-02)`() {
        let rules = Set(SanctuaryContract.rules.map(\.id))
        let mutated = Set(SanctuaryContract.mutants.map(\.rule))
        #expect(rules.subtracting(unported).subtracting(mutated).isEmpty && mutated.isSubset(of: rules))
    }
}
