#if Sandbox
import CofferdamContracts
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// What waits differs from vendor to vendor, so its mutants break the real adapters too, not only the fake.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WaitingMutantsTests {
    private static let mutants = SanctuaryContract.mutants.filter {
        $0.rule == "LIFE-07" || $0.rule.rawValue.hasPrefix("WAIT-")
    }

    @Test(arguments: [AdapterUnderTest<SanctuarySubject>.v1, .v2])
    func `each mutant of what waits is killed on the real adapters`(
        _ adapter: AdapterUnderTest<SanctuarySubject>
    ) async {
        let report = await MutationRunner(rules: SanctuaryContract.rules, adapter: adapter).run(Self.mutants)
        #expect(report.rows.count == Self.mutants.count)
        for row in report.rows { #expect(row.outcome == .killed, "\(row.id): \(row.detail ?? "no detail")") }
    }
}
#endif
