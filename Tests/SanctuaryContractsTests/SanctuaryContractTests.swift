#if Sandbox
import CofferdamContracts
import CofferdamTesting
import SanctuaryContracts
import SanctuaryFake
import SanctuaryHarness
import Testing

/// The adapters on which these tests run the sanctuary's contract.
let adaptersUnderTest: [AdapterUnderTest<SanctuarySubject>] = [.v1, .v2, .fake]

@Suite(.coversContract(SanctuaryContract.rules, on: adaptersUnderTest)) struct SanctuaryContractTests {
    // Serialised: the process has only one V1, and waiting for it would use up a rule's time.
    @Test(.serialized, arguments: contractCases(SanctuaryContract.rules, adaptersUnderTest))
    func `every adapter keeps every rule that applies to it`(
        _ contractCase: ContractCase<SanctuarySubject>
    ) async throws {
        let row = await expect(contractCase)
        #expect(row?.outcome == .passed)
    }

    @Test func `each family of rules judges each operation, or there is a reason`() {
        #expect(CoverageTable(SanctuaryContract.coverage, of: SanctuaryContract.rules).problems == [])
    }
}
#endif
