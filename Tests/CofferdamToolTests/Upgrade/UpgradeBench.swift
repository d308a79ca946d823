import Cofferdam
import CofferdamUpgrade

@testable import CofferdamTool

/// An upgrade with its own store, evidence, clock and person, for the commands of one test.
struct UpgradeBench: Sendable {
    static let stages: [Stage] = [.legacyOnly, .shadow(sample: .all), .canary(share: 500), .candidateOnly]
    static let plan: UpgradePlan = {
        do { return try UpgradePlan(stages) } catch { preconditionFailure("the stages do not rise: \(error)") }
    }()
    /// 2026-11-22T05:40:00Z, in milliseconds.
    static let now: Int64 = 1_795_326_000_000

    let store = MemoryUpgradeStore()
    let evidence = MemoryEvidenceLog()
    private let ids = EntryIDs()
    var names = ["catalogue"]
    /// The error of opening the store, if any.
    var failure: UpgradeStoreError?
    /// The error of reading the evidence, if any.
    var evidenceFailure: UpgradeStoreError?
    /// The gaps in the evidence.
    var gaps: [String] = []
    /// The opened fleets; nil without fleets.
    var fleets: OpenedFleets?
    var answer: String?
    var isInteractive = false
    var variables = ["USER": "amara"]
    var account = ""

    /// The bench of the running test.
    @TaskLocal static var current = UpgradeBench()

    init() {}

    var capabilities: [UpgradeTooling.Capability] { names.map { .init($0, plan: Self.plan) } }

    var storage: UpgradeStorage {
        let log = UpgradeEvidence.log(evidence)
        return UpgradeStorage(
            store: store,
            evidence: UpgradeEvidence { [evidenceFailure, gaps] question in
                if let evidenceFailure { throw evidenceFailure }
                return CountedEvidence(try await log.answer(question).snapshots, gaps: gaps)
            }
        )
    }

    var tooling: UpgradeTooling {
        UpgradeTooling(
            capabilities,
            directory: { [self] _, _ in
                if let failure { throw failure }
                return storage
            },
            fleet: fleets.map(fleetOpener)
        )
    }

    private func fleetOpener(_ fleets: OpenedFleets) -> UpgradeTooling.FleetOpener {
        { [self] place in
            fleets.add(place)
            return storage
        }
    }

    var environment: ToolEnvironment {
        let answer = answer
        var environment = ToolEnvironment(
            variables: variables,
            account: account,
            now: { Self.now },
            newID: { [ids] in ids.next() }
        )
        if isInteractive { environment.ask = { _ in answer } }
        return environment
    }

    var controls: StoreControls { StoreControls(storage: storage, environment: environment) }

    /// Moves the upgrade to a stage, with one log entry for each step, a minute apart, the last one an hour ago.
    func walk(to stage: Stage, _ name: String = "catalogue") async throws {
        for (number, step) in Self.stages.dropFirst().enumerated() where step <= stage {
            let request = UpgradeRequest(
                .advance(despiteGate: true),
                by: "amara",
                reason: "step \(number + 1)",
                at: Self.now - 3_600_000 - Int64(2 - number) * 60_000,
                id: "\(name)-\(number + 1)"
            )
            _ = try await store.carryOut(request, for: name, plan: Self.plan)
        }
    }

    /// Saves evidence of the shadow's epoch, ten seconds old, that grew in steps to that many units.
    func count(_ failures: Int, of units: Int, steps: Int = 4, _ name: String = "catalogue") async {
        for step in 1...steps {
            await evidence.append(
                EvidenceSnapshot(
                    capability: name,
                    at: Self.now - 10_000 - Int64(steps - step) * 1_000,
                    reading: Self.reading(failures * step / steps, of: units * step / steps),
                    outcomes: OutcomeCounts()
                )
            )
        }
    }

    static func reading(_ failures: Int, of units: Int) -> GateReading {
        GateReading(
            stage: .shadow(sample: .all),
            epoch: 1,
            seconds: 3_600,
            metrics: [
                .comparison: FailureCounts(failures, of: units), .uncounted: FailureCounts(0, of: units),
                .noise: FailureCounts(0, of: units), .pairedFailures: FailureCounts(0, of: 0),
                Metric.comparison.includingOpenWindows: FailureCounts(failures, of: units),
                .pairedSlow: FailureCounts(0, of: 0),
                Metric.mismatches.includingOpenWindows: FailureCounts(failures, of: units),
            ]
        )
    }
}

/// The fleets that commands have opened.
final class OpenedFleets: Sendable {
    private let opened = Mutex([FleetPlace]())

    var places: [FleetPlace] { opened.withLock { $0 } }

    func add(_ place: FleetPlace) { opened.withLock { $0.append(place) } }
}

/// "entry-1", "entry-2", …
private final class EntryIDs: Sendable {
    private let count = Mutex(0)

    func next() -> String {
        count.withLock { count in
            count += 1
            return "entry-\(count)"
        }
    }
}
