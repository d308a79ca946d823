import Cofferdam

/// Remembers, beyond the process, which units have written to the candidate's own data: from then on nothing of theirs is read
/// from the legacy side. For capabilities whose sides have data of their own: ``DataOwnership/separate``.
///
/// Nothing else of a unit needs to be remembered: its bucket follows from its name, and a session begins where the stage says.
public protocol UnitMemory: Sendable {
    /// Asked before a unit's first call of a session. If it throws, the unit is taken for one that has written.
    func hasWritten(_ unit: String, capability: String) async throws -> Bool

    /// Told before the first write is sent, so that no end of the process comes between; returns when it is kept. If it throws,
    /// the write is not sent to the candidate.
    func noteWrite(by unit: String, capability: String) async throws
}

/// Remembers for as long as the process lives. Then a unit may be shown the legacy side's data once more, without what it has
/// written: where that matters a `SQLiteUpgradeLog` remembers on the disk.
public final class TransientUnitMemory: UnitMemory {
    private struct Line: Hashable {
        var capability: String
        var unit: String
    }

    private let written = Mutex<Set<Line>>([])

    public init() {}

    public func hasWritten(_ unit: String, capability: String) async -> Bool {
        written.withLock { $0.contains(Line(capability: capability, unit: unit)) }
    }

    public func noteWrite(by unit: String, capability: String) async {
        written.withLock { _ = $0.insert(Line(capability: capability, unit: unit)) }
    }
}
