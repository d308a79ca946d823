#if Server
import Cofferdam
import CofferdamUpgrade

/// Says that breakers of devices opened, for webhooks. There is one of each kind for a side and operation in an epoch,
/// however many devices report.
struct BreakerNotice: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, Hashable, Codable {
        /// It is open on the first device.
        case opened
        /// It is open on many devices at once.
        case spread
    }

    var id: String
    var capability: String
    var kind: Kind
    var operation: String
    var side: Side
    var epoch: Int
    /// When the server heard of it, RFC 3339.
    var at: String
    /// When it opened or closed by the clock of the device that reported it, RFC 3339.
    var deviceTime: String
    /// The number of devices on which it is open.
    var open: Int
}
#endif
