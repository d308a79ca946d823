import CofferdamContracts
import CofferdamTesting
import CofferdamUpgrade
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// Both majors behind the router, at every stage; in the canary from either side.
let stagedAdapters: [AdapterUnderTest<SanctuarySubject>] = [
    .staged(at: .legacyOnly),
    .staged(at: .shadow(sample: .all)),
    .staged(at: .canary(share: 5000), unitOn: .legacy),
    .staged(at: .canary(share: 5000), unitOn: .candidate),
    .staged(at: .candidateWithFallback),
    .staged(at: .candidateShadowed(sample: .all)),
    .staged(at: .candidateOnly),
]

@Suite struct StagedContractTests {
    // One after the other, as V1 is one for the process.
    @Test(.serialized, arguments: contractCases(SanctuaryContract.rules, stagedAdapters))
    func `the routed ports keep every rule at every stage`(
        _ contractCase: ContractCase<SanctuarySubject>
    ) async throws {
        let row = await expect(contractCase)
        #expect(row?.outcome == .passed)
    }
}
