import Cofferdam

/// What a unit has changed on the candidate's side: asked and told where ``DataOwnership/separate`` keeps its reads and writes together.
final class CandidateWrites: Sendable {
    /// What is known of one capability.
    private struct Known {
        /// Whether the memory was asked.
        var isRecalled = false
        /// Whether the memory was told.
        var isNoted = false
        /// Whether there was a write.
        var hasWritten = false
    }

    private let unit: String?
    /// By capabilities: each has data of its own.
    private let known = Mutex<[String: Known]>([:])

    init(of unit: String?) { self.unit = unit }

    /// Whether the unit has changed something there, as far as that is remembered. Where nobody can tell, it has.
    func hasWritten(_ capability: String, _ memory: any UnitMemory) async -> Bool {
        let known = known.withLock { $0[capability, default: Known()] }
        guard let unit, !known.isRecalled, !known.hasWritten else { return known.hasWritten }
        do {
            let isRemembered = try await memory.hasWritten(unit, capability: capability)
            return update(capability) { known in
                known.isRecalled = true
                if isRemembered { (known.hasWritten, known.isNoted) = (true, true) }
                return known.hasWritten
            }
        } catch {
            return true
        }
    }

    /// The unit is about to change something there.
    ///
    /// - Throws: what the memory throws.
    func noteComing(_ capability: String, _ memory: any UnitMemory) async throws {
        guard let unit, !known.withLock({ $0[capability]?.isNoted ?? false }) else { return }
        try await memory.noteWrite(by: unit, capability: capability)
        update(capability) { $0.isNoted = true }
    }

    /// The unit may have changed something there.
    func note(_ capability: String) { update(capability) { $0.hasWritten = true } }

    private func update<Result: Sendable>(_ capability: String, _ body: (inout Known) -> Result) -> Result {
        known.withLock { body(&$0[capability, default: Known()]) }
    }
}
