package import Cofferdam  // sides

/// The breakers of one side and operation, over all devices.
package struct BreakerTotals: Sendable, Hashable, Codable {
    package var operation: String
    package var side: Side
    /// The number of devices on which it is open now.
    package var open: Int
    /// The number of devices on which it opened in this epoch.
    package var opened: Int
    /// When the server first heard of it in this epoch, RFC 3339.
    package var since: String

    package init(operation: String, side: Side, open: Int, opened: Int, since: String) {
        (self.operation, self.side, self.open) = (operation, side, open)
        (self.opened, self.since) = (opened, since)
    }
}

/// Says that breakers of devices opened, for webhooks. There is one of each kind for a side and operation in an epoch,
/// however many devices report.
package struct BreakerNotice: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// It opened on the first device.
        case opened
        /// It is open on many devices at once.
        case spread
    }

    package var id: String
    package var capability: String
    package var kind: Kind
    package var operation: String
    package var side: Side
    package var epoch: Int
    /// When the server heard of it, RFC 3339.
    package var at: String
    /// When it opened or closed by the clock of the device that reported it, RFC 3339.
    package var deviceTime: String
    /// The number of devices on which it is open.
    package var open: Int
}
