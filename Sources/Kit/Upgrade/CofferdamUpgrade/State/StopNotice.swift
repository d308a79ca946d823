/// A stop that a device receives without the upgrade's store, while that store cannot be reached. It sends every call
/// to the legacy side of this device.
public struct StopNotice: Sendable, Hashable, Codable {
    /// Who stopped the upgrade.
    public var by: String
    /// The reason, for people.
    public var reason: String
    /// When it was made, in seconds since 1970.
    public var at: Int64
    /// The attempt of the upgrade that was known here when the stop arrived.
    var attempt: Int?

    /// Creates a stop from its parts.
    public init(by: String, reason: String, at: Int64) {
        (self.by, self.reason, self.at) = (by, reason, at)
    }

    /// How long after the stop a new stage still belongs to what was stopped: a gate that could not be reached may
    /// have gone on, and clocks differ.
    private static let day: Int64 = 86_400

    /// Returns whether the stop still says more than the state of the store: it ends when the upgrade has gone back
    /// since, or has moved more than a day later.
    func holds(over stored: StoredUpgrade?) -> Bool {
        guard let stored else { return true }
        let isBack = stored.kill?.target == .legacy || stored.state.stage == .legacyOnly
        let isNewAttempt = attempt.map { stored.state.attempt > $0 } ?? false
        return !isBack && !isNewAttempt && stored.state.since <= at + Self.day
    }
}

/// A second way to stop an upgrade on devices whose store cannot be reached, such as a signed file on another host.
/// It can only stop.
public protocol StopSource: Sendable {
    /// Returns the stop for a capability; nil if there is none.
    ///
    /// - Throws: any error. The engine goes on as it was, and its status shows the error.
    func stop(of capability: String) async throws -> StopNotice?
}
