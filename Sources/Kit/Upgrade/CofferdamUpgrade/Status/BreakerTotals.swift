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
