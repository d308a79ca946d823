import CofferdamContracts
import CofferdamTool
import SanctuaryContracts
import SanctuaryHarness

/// What the tool works on: Sanctuary's rules, and the adapters of both majors and the fake.
func sanctuaryTooling() -> Tooling {
    let rules = SanctuaryContract.rules
    let adapters: [AdapterUnderTest<SanctuarySubject>] = [.v1, .v2, .fake]
    let contracts = Tooling(rules: rules, adapters: adapters)
    return Tooling(rules: rules, adapters: adapters) { progress in
        try await Rehearsal(contracts: contracts, progress: progress).run()
    }
}
