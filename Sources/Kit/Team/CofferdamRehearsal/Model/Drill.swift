/// A drill: devices follow a real server on loopback, V2 begins to fail on some of them, and a person stops it by the
/// runbook.
package struct Drill: Sendable {
    /// What is drilled.
    package struct Setting: Sendable {
        /// The name of the upgrade.
        package var capability: String
        /// What users lose when they go back; nil if nothing.
        package var costOfGoingBack: String?
        /// The number of devices.
        package var devices = 20
        /// How long it waits for the stop to be confirmed.
        package var limit = Duration.seconds(900)
        /// The port of the server; 0 for any free one.
        package var port = 0

        package init(_ capability: String, costOfGoingBack: String?) {
            (self.capability, self.costOfGoingBack) = (capability, costOfGoingBack)
        }
    }

    /// A step of the person, in this order.
    package enum Step: Sendable, Hashable {
        /// The first look at the status or the page.
        case looked
        /// V2 was stopped on the server, in these words: "stopped: all on V1".
        case stopped(String)
        /// That many devices have the stop; all of them are the end.
        case confirmed(Int)
    }

    /// The server's address: "http://127.0.0.1:41234".
    package let address: String
    /// The file with the operator's token.
    package let tokenFile: String
    /// What the webhooks are told.
    package let alert: String
    /// Waits until all devices are stopped, or the limit has passed.
    ///
    /// Returns whether they are. Tells each step, with the time since the alert.
    package let follow: @Sendable (_ tell: @Sendable (Step, Duration) -> Void) async throws -> Bool
    /// Ends the server and the devices; called once.
    package let close: @Sendable () async -> Void

    package init(
        address: String,
        tokenFile: String,
        alert: String,
        follow: @escaping @Sendable (_ tell: @Sendable (Step, Duration) -> Void) async throws -> Bool,
        close: @escaping @Sendable () async -> Void
    ) {
        (self.address, self.tokenFile, self.alert) = (address, tokenFile, alert)
        (self.follow, self.close) = (follow, close)
    }
}
