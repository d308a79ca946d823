/// Which units have changed since they were saved: a few by themselves, or nobody knows which.
struct UnsavedUnits<Verdict: Sendable>: Sendable {
    struct Change: Sendable {
        /// Seen for the first time.
        var isNew = false
        /// With what it was counted.
        var verdict: Verdict?

        fileprivate mutating func add(_ next: Change) {
            isNew = isNew || next.isNew
            verdict = next.verdict ?? verdict
        }
    }

    /// More would take more memory than they save.
    static var most: Int { 10_000 }

    /// Nil where nobody knows.
    private var changes: [UInt64: Change]? = [:]

    /// In O(1), where it stands: the table must not be copied for it.
    mutating func note(_ key: UInt64, _ change: Change) {
        guard changes?.count ?? .max < Self.most else { return noteAll() }
        changes?[key, default: Change()].add(change)
    }

    mutating func noteAll() { changes = nil }

    /// Nil for all.
    mutating func take() -> [UInt64: Change]? {
        defer { changes = [:] }
        return changes
    }
}
