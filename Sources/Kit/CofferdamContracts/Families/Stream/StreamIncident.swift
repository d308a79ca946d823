/// What can befall a stream on its way from the vendor.
public enum StreamIncident: String, Sendable, Hashable, CaseIterable {
    /// The vendor says that it is still there, and nothing else.
    case heartbeat
    /// The vendor ends the stream in order.
    case end
    /// It breaks off in the middle of an event.
    case truncation
    /// The connection is lost between two events.
    case loss
}
