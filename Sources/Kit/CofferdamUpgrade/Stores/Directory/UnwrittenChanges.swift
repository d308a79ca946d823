#if SQLite
    /// What a person has done by hand to one capability's kill switch and is not written down yet. It holds as soon as it is read.
    struct UnwrittenChanges {
        /// The oldest first; each follows the one before.
        private(set) var files: [StateFile] = []
        /// The revision in the file, which the first of them follows.
        private var base: Int64 = 0
        /// What was read last: a change of which a process has written one half.
        private var isUnfinished = false

        /// Of more the oldest lines are lost to the log: the file is changed again and again while nothing can be written.
        private static let most = 100

        /// Whether there is anything to write.
        var areThere: Bool { !files.isEmpty || isUnfinished }

        /// What holds, after what a person has done by hand.
        ///
        /// - Parameters:
        ///   - file: what stands in `state.json`; where it has gone on, what followed an older one is void.
        ///   - kill: what stands in `kill.json`.
        mutating func current(after file: StateFile?, _ kill: KillFile?, of capability: String, at now: Int64)
            -> StateFile?
        {
            if base != file?.revision ?? 0 { files = [] }
            base = file?.revision ?? 0
            let known = files.last ?? file
            isUnfinished = known.map { !$0.isDoing(of: kill) } ?? false
            if isUnfinished || kill.map({ $0.says(known?.kill) }) ?? (known?.kill == nil) { return known }
            let before =
                known?.stored ?? StoredUpgrade(state: UpgradeState(capability: capability, since: now / 1_000))
            let request = UpgradeRequest(
                kill.map { .kill($0.target) } ?? .resume,
                by: kill?.whoever ?? "by hand",
                reason: kill?.whatever ?? "kill.json was removed",
                at: now,
                id: "kill.json \(before.revision + 1)"
            )
            files.append(StateFile(before.switched(by: request), before.revision + 1))
            if files.count > Self.most { files.removeFirst() }
            return files.last
        }

        /// The first of them stands in `state.json` now.
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

        /// Whether `kill.json`, where it differs, differs by a person's doing: not if it is what a process has still to replace.
        fileprivate func isDoing(of kill: KillFile?) -> Bool {
            guard !isKillFileCurrent else { return true }
            return kill.map { $0.target != last.before.kill && !$0.says(self.kill) } ?? false
        }
    }
#endif
