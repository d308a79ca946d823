#if SQLite
/// Edits by hand of the kill switch of one capability that are not recorded yet. They take effect as soon as they
/// are read.
struct UnwrittenChanges {
    /// Oldest first; each follows the previous one.
    private(set) var files: [StateFile] = []
    /// The revision in the file, which the first edit follows.
    private var base: Int64 = 0
    /// Whether another process is in the middle of a change.
    private var isUnfinished = false

    /// The maximum number of edits; older ones are lost to the log if the disk stays read-only.
    private static let maxFiles = 100

    /// Whether there is anything to write.
    var hasChanges: Bool { !files.isEmpty || isUnfinished }

    /// The current state, including edits by hand.
    ///
    /// - Parameters:
    ///   - file: the content of `state.json`; a newer revision discards older edits.
    ///   - kill: the content of `kill.json`.
    mutating func current(after file: StateFile?, _ kill: KillFile?, of capability: String, at now: Int64)
        -> StateFile?
    {
        if base != file?.revision ?? 0 { files = [] }
        base = file?.revision ?? 0
        let known = files.last ?? file
        isUnfinished = known.map { !$0.isEditedByHand(kill) } ?? false
        if isUnfinished || kill.map({ $0.matches(known?.kill) }) ?? (known?.kill == nil) { return known }
        let before =
            known?.stored ?? StoredUpgrade(state: UpgradeState(capability: capability, since: now / 1_000))
        let request = UpgradeRequest(
            kill.map { .kill($0.target) } ?? .resume,
            by: kill?.author ?? "by hand",
            reason: kill?.explanation ?? "kill.json was removed",
            at: now,
            id: "kill.json \(before.revision + 1)"
        )
        files.append(StateFile(before.switched(by: request), before.revision + 1))
        if files.count > Self.maxFiles { files.removeFirst() }
        return files.last
    }

    /// Removes the edits that `state.json` contains now.
    mutating func noteWritten(_ file: StateFile) {
        base = file.revision
        files.removeAll { $0.revision <= file.revision }
    }
}

extension StateFile {
    init(_ change: UpgradeChange, _ revision: Int64) {
        self.init(
            revision: revision,
            state: change.after.state,
            kill: change.after.kill,
            isKillFileCurrent: true,
            last: change.entry
        )
    }

    /// Whether a difference in `kill.json` is an edit by hand, and not a file that another process is about to
    /// replace.
    fileprivate func isEditedByHand(_ kill: KillFile?) -> Bool {
        guard !isKillFileCurrent else { return true }
        return kill.map { $0.target != last.before.kill && !$0.matches(self.kill) } ?? false
    }
}
#endif
