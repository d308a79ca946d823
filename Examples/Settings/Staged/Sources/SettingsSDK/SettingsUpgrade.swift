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

/// The upgrade of the settings: its plan, its state on disk, and both sides.
public struct SettingsUpgrade: Sendable {
    public static let capability = "settings"

    private let upgrade: Upgrade<any Settings>

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
        upgrade = try Upgrade(
            Self.capability,
            plan: Self.plan(),
            backend: .directory(directory, decides: false),
            failures: .settings,
            legacy: { try await sides.v1() },
            candidate: { try await sides.v2() }
        )
    }

    /// Follows the stored stage from now on, and returns the port for one user.
    func open(for user: String) async -> OpenedSettings {
        await upgrade.start()
        let work = Task { [upgrade] in try await upgrade.run() }
        return OpenedSettings(settings: upgrade.port(for: user)) {
            work.cancel()
            // The task saves the counts, and ends.
            _ = await work.result
        }
    }
}
