import Cofferdam

/// Whether both sides of a capability share their data.
public enum DataOwnership: String, Sendable, Hashable, CaseIterable, Codable {
    /// Both sides use one backend: a write on one side is visible on the other.
    case shared
    /// Each side has its own data, so the reads and writes of a unit stay together. A write is tried only on the unit's
    /// side, even if nothing was sent, and after the first write to the candidate, the unit's reads no longer fall back
    /// to the legacy side. ``StageState/overrides`` are ignored.
    ///
    /// Before such a unit goes back to the legacy side, the app must migrate its writes. Without a migration, choose
    /// no stage that lets units write to the candidate.
    case separate
}

/// Remembers across launches which units have written to the candidate's data: their reads no longer fall back to the
/// legacy side. Needed for capabilities with ``DataOwnership/separate``.
///
/// Nothing else about a unit needs to be stored: its bucket follows from its name.
public protocol UnitMemory: Sendable {
    /// Called before the first call of a unit in a session. If it throws, the unit is treated as having written.
    func hasWritten(_ unit: String, capability: String) async throws -> Bool

    /// Called before the first write is sent; returns once it is stored. If it throws, the write is not sent to the
    /// candidate.
    func noteWrite(by unit: String, capability: String) async throws
}

/// Remembers until the process ends. After that, a unit may see the legacy side's data again, without its own writes;
/// use a `SQLiteUpgradeLog` if that matters.
public final class TransientUnitMemory: UnitMemory {
    private struct Line: Hashable {
        var capability: String
        var unit: String
    }

    private let written = Mutex<Set<Line>>([])

    /// Creates an empty store.
    public init() {}

    /// Returns whether the unit has written since the process started.
    public func hasWritten(_ unit: String, capability: String) async -> Bool {
        written.withLock { $0.contains(Line(capability: capability, unit: unit)) }
    }

    /// Remembers the unit until the process ends.
    public func noteWrite(by unit: String, capability: String) async {
        written.withLock { _ = $0.insert(Line(capability: capability, unit: unit)) }
    }
}

/// The writes of a unit to the candidate's data, for ``DataOwnership/separate``.
final class CandidateWrites: Sendable {
    /// The known state for one capability.
    private struct Known {
        /// Whether the memory was read.
        var isRecalled = false
        /// Whether the memory has stored the write.
        var isNoted = false
        /// Whether there was a write.
        var hasWritten = false
    }

    private let unit: String?
    /// By capability: each has its own data.
    private let known = Mutex<[String: Known]>([:])

    init(of unit: String?) { self.unit = unit }

    /// Whether the unit has written, if that is known without asking the memory.
    func hasWritten(_ capability: String) -> Bool? {
        let known = known.withLock { $0[capability, default: Known()] }
        return unit == nil || known.isRecalled || known.hasWritten ? known.hasWritten : nil
    }

    /// Whether the next write may be sent: it is stored that the unit writes.
    func isNoted(_ capability: String) -> Bool {
        unit == nil || known.withLock { $0[capability]?.isNoted ?? false }
    }

    /// Returns whether the unit has written. If the memory fails, the unit is treated as having written.
    func hasWritten(_ capability: String, _ memory: any UnitMemory) async -> Bool {
        if let known = hasWritten(capability) { return known }
        guard let unit else { return false }
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

    /// Stores that the unit is about to write.
    ///
    /// - Throws: errors of the memory.
    func recordUpcomingWrite(_ capability: String, _ memory: any UnitMemory) async throws {
        guard let unit, !isNoted(capability) else { return }
        try await memory.noteWrite(by: unit, capability: capability)
        update(capability) { $0.isNoted = true }
    }

    /// Records that the unit may have written.
    func recordWrite(_ capability: String) { update(capability) { $0.hasWritten = true } }

    private func update<Result: Sendable>(_ capability: String, _ body: (inout Known) -> Result) -> Result {
        known.withLock { body(&$0[capability, default: Known()]) }
    }
}
