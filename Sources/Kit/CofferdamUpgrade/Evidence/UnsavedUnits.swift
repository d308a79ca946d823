/// Which units have changed since they were saved: a few by themselves, or nobody knows which.
struct UnsavedUnits<Verdict: Sendable>: Sendable {
    struct Change: Sendable {
        /// Seen for the first time.
        var isNew = false
        /// With what it was counted.
        var verdict: Verdict?
    }

    /// More would take more memory than they save.
    static var most: Int { 10_000 }

    /// Nil where nobody knows.
    private var changes: [UInt64: Change]? = [:]

    mutating func note(_ key: UInt64, _ change: Change) {
        guard let known = changes else { return }
        guard known.count < Self.most else { return noteAll() }
        changes?[key, default: Change()].isNew = change.isNew || known[key]?.isNew ?? false
        if let verdict = change.verdict { changes?[key]?.verdict = verdict }
    }

    mutating func noteAll() { changes = nil }

    /// Nil for all.
    mutating func take() -> [UInt64: Change]? {
        defer { changes = [:] }
        return changes
    }
}
