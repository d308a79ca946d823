#if Sandbox
import CofferdamContracts
import CofferdamFleet
import CofferdamRehearsal
import CofferdamTool
import Foundation
import SanctuaryContracts
import SanctuaryFake
import SanctuaryHarness
import SanctuaryRouting

#if Server
import CofferdamServer
#endif

/// Returns the tool's subject: Sanctuary's rules and mutants, and the adapters of both majors and the fake.
func sanctuaryTooling() throws -> Tooling {
    try Tooling(
        rules: SanctuaryContract.rules,
        adapters: [
            .v1.identified(as: AdapterIdentity(version: "1", sdk: "Menagerie 1")),
            .v2.identified(as: AdapterIdentity(version: "1", sdk: "Menagerie 2")),
            .fake.identified(as: AdapterIdentity(.fake, version: "1", sdk: "none")),
        ],
        mutants: SanctuaryContract.mutants,
        coverage: SanctuaryContract.coverage,
        deviations: knownDeviations,
        fixtures: ContractFixtures { try await seededCatalogue() },
        upgrade: UpgradePath(from: "v1", to: "v2"),
        rehearsal: { progress in try await Rehearsal(progress: progress).run() },
        scenarios: sanctuaryScenarios(),
        console: console,
        drift: DriftTooling(known: vendorDifferences) { service, progress in
            try await DriftRun(progress: progress).run(against: service)
        },
        tapes: sanctuaryTapes(),
        upgrades: sanctuaryUpgrade(),
        publisher: ReportPublisher(for: SanctuaryUpgrade.capability) {
            let server = try ServerAccess(environment: ProcessInfo.processInfo.environment).server()
            return { try await server.publish($0) }
        }
    )
}

/// Shows a rehearsal, in a build with a server.
private var console: RehearsalConsole? {
    #if Server
    .controlPlane
    #else
    nil
    #endif
}
#endif
