/// Provides the counts for a gate: of this process or of a whole fleet.
public protocol EvidenceSource: Sendable {
    /// The counts of the epoch of that state. A metric that was never recorded is missing, not zero.
    ///
    /// - Parameter seconds: the age of the epoch.
    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading
}

extension EvidenceRecorder: EvidenceSource {
    /// The evidence recorded in the state's epoch, as the gate reads it.
    public func reading(of state: UpgradeState, afterSeconds seconds: Int) async -> GateReading {
        follow(state)
        return reading(afterSeconds: seconds)
    }
}
