import CofferdamTool
import SanctuaryContracts
import SanctuaryHarness

/// What the tool works on: Sanctuary's rules, and the adapters of both majors and the fake.
func sanctuaryTooling() -> Tooling {
    Tooling(rules: SanctuaryContract.rules, adapters: [.v1, .v2, .fake]) { progress in
        try await Rehearsal(progress: progress).run()
    }
}
