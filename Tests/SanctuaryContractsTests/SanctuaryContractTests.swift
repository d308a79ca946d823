import CofferdamContracts
import CofferdamTesting
import SanctuaryContracts
import SanctuaryFake
import SanctuaryHarness
import Testing

/// The adapters that the sanctuary's contract is run over here.
let adaptersUnderTest: [AdapterUnderTest<SanctuarySubject>] = [.v1, .v2, .fake]

@Suite(.coversContract(SanctuaryContract.rules, on: adaptersUnderTest)) struct SanctuaryContractTests {
    // One after the other: V1 is one for the process, and whoever waits for it uses up the time of its rule.
    @Test(.serialized, arguments: contractCases(SanctuaryContract.rules, adaptersUnderTest))
    func `every adapter keeps every rule that applies to it`(
        _ contractCase: ContractCase<SanctuarySubject>
    ) async throws {
        let row = await expect(contractCase)
        #expect(row?.outcome == .passed)
    }
}
