/// Something that can happen to a stream on its way from the vendor.
public enum StreamIncident: String, Sendable, Hashable, CaseIterable {
    /// The vendor says only that it is still there.
    case heartbeat
    /// The vendor ends the stream properly.
    case end
    /// The stream breaks off in the middle of an event.
    case truncation
    /// The connection is lost between two events.
    case loss
}
