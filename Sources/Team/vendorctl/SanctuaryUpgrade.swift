#if Sandbox
import CofferdamFleet
import CofferdamTool
import CofferdamUpgrade
import Foundation
import SanctuaryRouting

/// Returns the app's upgrade, for the commands that show and move it.
func sanctuaryUpgrade() throws -> UpgradeTooling {
    UpgradeTooling(
        [.init(SanctuaryUpgrade.capability, plan: try SanctuaryUpgrade.plan())],
        costOfGoingBack:
            "Users who first signed in under V2 are signed out; their unsent messages wait until they sign in.",
        fleet: openFleet
    )
}

/// Opens the upgrade of a fleet, whose state is in etcd and whose counts are in Prometheus. The credentials for both
/// come from the environment.
@Sendable private func openFleet(_ place: FleetPlace) async throws -> UpgradeStorage {
    let environment = ProcessInfo.processInfo.environment
    return UpgradeStorage(
        store: try EtcdAccess(place.etcd, environment: environment).store(prefix: "/apps/sanctuary"),
        evidence: try place.prometheus.map { try fleetEvidence($0, environment) }
            ?? .none("the instances' counts are in Prometheus: name it with --prometheus")
    )
}

private func fleetEvidence(
    _ place: FleetPlace.Prometheus,
    _ environment: [String: String]
) throws -> UpgradeEvidence {
    var prometheus = try PrometheusAccess(place.address, environment: environment)
        .evidence(job: place.job, instances: place.instances)
    if let freshness = place.freshness { prometheus.freshness = freshness }
    return UpgradeEvidence { [prometheus] question in
        let (state, seconds) = (question.state, question.seconds)
        let found = try await prometheus.evidence(of: state, seconds: seconds, now: question.now)
        // Only a command that shows the evidence asks for more than the newest point.
        guard question.last > 1, let key = found.key else { return CountedEvidence([found.snapshot], gaps: found.gaps) }
        let before = try await prometheus.growth(
            of: state.capability,
            at: state.stage,
            epoch: state.epoch,
            key: key,
            seconds: seconds,
            points: min(60, question.last - 1)
        )
        return CountedEvidence(before + [found.snapshot], gaps: found.gaps)
    } baseline: { [prometheus] question, minimum in
        let found = try await prometheus.baseline(
            of: question.state,
            seconds: question.seconds,
            minimum: minimum,
            now: question.now
        )
        return CountedBaseline(found.baseline, gaps: found.gaps)
    }
}
#endif
