import CofferdamContracts
import CofferdamTesting
import SanctuaryContracts
import SanctuaryFake
import Testing

@Suite struct MutantTests {
    /// Those whose rule applies to the fake.
    private static let mutants = SanctuaryContract.mutants.filter { mutant in
        contractCases(SanctuaryContract.rules, [.fake]).contains {
            $0.rule.id == mutant.rule && (mutant.operation == nil || $0.rule.operation == mutant.operation)
        }
    }

    @Test func `each mutant is killed by its own rule, which the clean fake passes`() async {
        let report = await MutationRunner(rules: SanctuaryContract.rules, adapter: .fake).run(Self.mutants, atOnce: 4)
        #expect(report.rows.count == Self.mutants.count)
        for row in report.rows {
            #expect(row.outcome == .killed, "\(row.id): \(row.detail ?? "no detail")")
        }
    }

    @Test func `every rule has a mutant (KIT-02)`() {
        let rules = Set(SanctuaryContract.rules.map(\.id))
        let mutated = Set(SanctuaryContract.mutants.map(\.rule))
        #expect(rules.subtracting(unported).subtracting(mutated).isEmpty && mutated.isSubset(of: rules))
    }
}
