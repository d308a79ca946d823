/// The counters of one capability at one moment.
public struct EvidenceSnapshot: Sendable, Hashable, Codable {
    public var capability: String
    /// In milliseconds since 1970.
    public var at: Int64
    public var reading: GateReading
    /// How the compared units came out.
    public var outcomes: OutcomeCounts

    public init(capability: String, at: Int64, reading: GateReading, outcomes: OutcomeCounts) {
        self.capability = capability
        self.at = at
        self.reading = reading
        self.outcomes = outcomes
    }
}

/// Keeps how the evidence grew, to be shown.
public protocol EvidenceLog: Sendable {
    func append(_ snapshot: EvidenceSnapshot) async throws
    /// The oldest first; of one epoch, or of all.
    func snapshots(of capability: String, epoch: Int?) async throws -> [EvidenceSnapshot]
}
