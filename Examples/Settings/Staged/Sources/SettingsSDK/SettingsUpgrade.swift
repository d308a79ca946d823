import Cofferdam
public import CofferdamUpgrade
import SettingsOperations
import SettingsPorts

extension ErrorClassifier {
    /// A missing or invalid document is the same on either side. Every other error counts against the side.
    public static let settings = ErrorClassifier(
        meaning: { $0 is SettingsError ? .answer : .failed },
        kind: { error in
            switch error as? SettingsError {
            case .missing: "missing"
            case .invalid: "invalid"
            case .badCursor: "badCursor"
            case .cannotSave: "cannotSave"
            case nil: "other"
            }
        }
    )
}

/// The upgrade of the settings: its plan, its state on disk, and the router between the sides.
public struct SettingsUpgrade: Sendable {
    public static let capability = "settings"

    private let engine: UpgradeEngine
    private let router: Router<any Settings>
    private let control = StageControl()
    private let settings: RouteSettings
    private let bucketing: Bucketing

    /// The stages, and the largest tolerated share of users who meet a failure on the way: 1 in 100.
    public static func plan() throws -> UpgradePlan {
        try UpgradePlan(
            [.legacyOnly, .shadow(sample: .all), .canary(share: 500), .candidateWithFallback, .candidateOnly],
            settings: .defaults {
                $0.limit = 0.01
                $0.minimumBaselineCalls = 1_000
            }
        )
    }

    public init(sides: SettingsSides, directory: String) throws {
        let (plan, breakers) = (try Self.plan(), try Breakers())
        let recorder = EvidenceRecorder(minimumBaselineCalls: plan.settings.minimumBaselineCalls, breakers: breakers)
        let store = FileUpgradeStore(directory: directory)
        settings = RouteSettings(
            capability: Self.capability,
            failures: .settings,
            breakers: breakers,
            observer: recorder
        )
        router = Router(legacy: { try await sides.v1() }, candidate: { try await sides.v2() })
        bucketing = try Bucketing(salt: Self.capability)
        engine = UpgradeEngine(Self.capability, plan: plan, store: store, control: control, recorder: recorder) {
            $0.ledger = store.log
            $0.log = store.log
        }
    }

    /// Follows the stored stage from now on, and returns the port for one user.
    func open(for user: String) async -> OpenedSettings {
        await engine.start()
        let work = Task { [engine] in try await engine.run() }
        let session = UnitSession(unit: user, control: control, bucketing: bucketing)
        let port = Intercepted(source: router.route(for: session, settings: settings) { $0 })
        return OpenedSettings(settings: port) {
            work.cancel()
            // The task saves the counts, and ends.
            _ = await work.result
        }
    }
}
