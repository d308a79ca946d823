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

/// Keeps how the evidence grew, to be shown: of each capability the newest snapshots alone.
public protocol EvidenceLog: Sendable {
    func append(_ snapshot: EvidenceSnapshot) async throws

    /// The newest snapshots, of one epoch or of all, in the order in which they came.
    ///
    /// - Parameter count: at most so many.
    func snapshots(of capability: String, epoch: Int?, last count: Int) async throws -> [EvidenceSnapshot]
}

extension EvidenceSnapshot {
    /// How many of a capability's a log keeps where nothing else is said: a week of minutes.
    public static let keptByDefault = 10_000
}
