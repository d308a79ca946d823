/// How an ``UpgradeEngine`` works.
public struct UpgradeEngineSettings: Sendable, Hashable {
    /// How often the store is asked, and the gate.
    public var polling = Duration.seconds(5)
    /// How often this machine's kill switch is looked at, and a store that is on this machine: after so long a kill is obeyed, whatever
    /// else takes its time.
    public var killPolling = Duration.seconds(1)
    /// How often what was counted is saved: so much is lost at the most.
    public var saving = Duration.seconds(1)
    /// How often it is noted how the evidence grew.
    public var noting = Duration.seconds(60)
    /// Whether the gate's promotions are carried out. Only where units come from a fleet or from a rehearsal: a single device sees
    /// too few, and only goes back by itself.
    public var promotesBySelf = false
    /// Out of touch with the store for longer, nothing is raised any more.
    public var noRiseAfter = Duration.seconds(5 * 60)
    /// Out of touch for longer, what is in the shadow or the canary is at `legacyOnly` here, named units too. Later stages stay.
    public var legacyAfter = Duration.seconds(60 * 60)
    /// The engine's name in the log.
    public var name = "gate"

    public init() {}

    public static let defaults = UpgradeEngineSettings()

    /// The defaults, changed in place: `.defaults { $0.promotesBySelf = true }`.
    public static func defaults(_ change: (inout UpgradeEngineSettings) -> Void) -> UpgradeEngineSettings {
        var settings = UpgradeEngineSettings()
        change(&settings)
        return settings
    }
}
