import CofferdamTool
import SanctuaryContracts
import SanctuaryFake
import SanctuaryHarness

/// What the tool works on: Sanctuary's rules, and the adapters of both majors and the fake.
func sanctuaryTooling() -> Tooling {
    Tooling(
        rules: SanctuaryContract.rules,
        adapters: [.v1, .v2, .fake],
        rehearsal: { progress in try await Rehearsal(progress: progress).run() },
        drift: DriftTooling(known: vendorDifferences) { service, progress in
            try await DriftRun(progress: progress).run(against: service)
        }
    )
}
