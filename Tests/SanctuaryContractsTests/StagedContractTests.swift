#if Sandbox
import Cofferdam
import CofferdamContracts
import CofferdamTesting
import CofferdamUpgrade
import SanctuaryContracts
import SanctuaryHarness
import Testing

/// Both majors behind the router, at every stage, and in the canary on either side.
private let stagedAdapters: [AdapterUnderTest<SanctuarySubject>] = [
    .staged(at: .legacyOnly),
    .staged(at: .shadow(sample: .all)),
    .staged(at: .canary(share: 5000), unitOn: .legacy),
    fallingBack,
    // Routed like the canary, but without a side to fall back to.
    .staged(at: .candidateWithFallback, isOtherSideDown: true),
    .staged(at: .candidateShadowed(sample: .all)),
    .staged(at: .candidateOnly),
]

private let fallingBack = AdapterUnderTest<SanctuarySubject>.staged(at: .canary(share: 5000), unitOn: .candidate)

/// The operations that fall back: reads whose result is the same for every user.
private let fallingBackOperations: Set<String?> = ["animal", "animals", "photo"]

/// The rules that require the vendor's fault to reach the caller. They cannot hold if V1 answers instead of V2, which
/// is the purpose of the stage.
private let whereV1Answers: [RuleID: String] = [
    "BIN-02": "the picture comes whole from V1",
    "BIN-03": "the picture comes from V1",
    "BIN-05": "the picture comes from V1, and is reported as one that arrived",
    "TIME-01": "V1 has no more to wait for when V2's time is up",
    "TIME-02": "V1 has no more to wait for when V2's time is up",
    "TIME-05": "V1 asks once, after V2 did",
    "TIME-06": "the call has not timed out: V1 answers",
]

@Suite struct StagedContractTests {
    // Serialised, because the process has only one V1.
    @Test(.serialized, arguments: contractCases(SanctuaryContract.rules, stagedAdapters, filter: ContractFilter()))
    func `the routed ports keep every rule at every stage`(
        _ contractCase: ContractCase<SanctuarySubject>
    ) async throws {
        guard contractCase.adapter.name == fallingBack.name,
            fallingBackOperations.contains(contractCase.rule.operation),
            let reason = whereV1Answers[contractCase.rule.id]
        else {
            let row = await expect(contractCase)
            #expect(row?.outcome == .passed)
            return
        }
        await withKnownIssue("\(reason)") {
            await expect(contractCase)
        } matching: { issue in
            "\(issue.comments)".contains(" failed: ")
        }
    }
}
#endif
