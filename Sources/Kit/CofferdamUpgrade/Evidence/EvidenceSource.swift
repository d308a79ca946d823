/// Says what was counted, for the gate: here, or in a whole fleet.
public protocol EvidenceSource: Sendable {
    /// What was counted of that state's epoch. What nobody has written is missing, not zero.
    ///
    /// - Parameter seconds: for how long the epoch lasts.
    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading
}

extension EvidenceRecorder: EvidenceSource {
    public func reading(of state: UpgradeState, afterSeconds seconds: Int) async -> GateReading {
        follow(state)
        return reading(afterSeconds: seconds)
    }
}
