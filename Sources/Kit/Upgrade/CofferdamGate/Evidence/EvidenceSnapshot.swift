/// The counters of one capability at one moment.
public struct EvidenceSnapshot: Sendable, Hashable, Codable {
    /// The name of the capability.
    public var capability: String
    /// In milliseconds since 1970.
    public var at: Int64
    /// The counts.
    public var reading: GateReading
    /// The outcomes of the compared units.
    package var outcomes: OutcomeCounts

    package init(capability: String, at: Int64, reading: GateReading, outcomes: OutcomeCounts) {
        self.capability = capability
        self.at = at
        self.reading = reading
        self.outcomes = outcomes
    }
}
