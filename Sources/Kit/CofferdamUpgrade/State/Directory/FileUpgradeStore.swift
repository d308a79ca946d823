#if SQLite
    import Cofferdam

    /// Keeps upgrades in a directory, where several processes may use them: for each capability a folder with `state.json` and,
    /// while a kill switch is set, `kill.json`; and for all of them the log and the evidence in `upgrade.sqlite`.
    ///
    /// Each file is written whole and is on the disk when ``commit(_:)`` returns; it holds the log's last line, so that the log
    /// lacks none, whenever the process ends. A person may put a `kill.json` there, `{"target": "legacy"}`, and it is obeyed; or
    /// remove it, which clears the switch. A file that cannot be read is never overwritten.
    public final class FileUpgradeStore: UpgradeStore {
        public let directory: String
        /// The audit log, and the evidence.
        public let log: SQLiteUpgradeLog

        private let jobs = DiskQueue(label: "cofferdam.upgrade.state")
        private let now: @Sendable () -> Int64

        /// - Parameters:
        ///   - directory: made if it is missing, for this account of the system alone.
        ///   - now: milliseconds since 1970, for what a person has changed by hand.
        /// - Throws: ``UpgradeStoreError``: `unavailable`, `unreadable`.
        public init(directory: String, now: @escaping @Sendable () -> Int64 = WallTime.now) throws {
            self.directory = directory
            self.now = now
            log = try SQLiteUpgradeLog(path: directory + "/upgrade.sqlite", making: directory)
        }

        public func read(_ capability: String) async throws -> StoredUpgrade? {
            try await jobs.run { [self] in try current(capability)?.stored }
        }

        public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
            try await jobs.run { [self] in
                let capability = change.before.state.capability
                let folder = CapabilityFolder(of: capability, in: directory)
                try folder.make()
                return try folder.lock.withLock {
                    let file = try settle(capability, folder)
                    guard (file?.revision ?? 0) == change.before.revision else { return nil }
                    return try write(change, over: file, folder).stored
                }
            }
        }

        public func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
            try await completeLog(of: capability)
            return try await log.entry(id, of: capability)
        }

        public func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
            try await completeLog(of: capability)
            return try await log.history(of: capability, last: count)
        }

        private func completeLog(of capability: String) async throws {
            try await jobs.run { [self] in
                if let file = try current(capability) { try log.add(file.last) }
            }
        }

        /// What holds, after what a person has done by hand.
        private func current(_ capability: String) throws -> StateFile? {
            let folder = CapabilityFolder(of: capability, in: directory)
            let kill = try folder.readKill()
            let file = try folder.readState(of: capability)
            if file?.isKillFileCurrent ?? true, kill.map({ $0.says(file?.kill) }) ?? (file?.kill == nil) { return file }
            return try folder.lock.withLock { try settle(capability, folder) }
        }

        // MARK: Under the lock

        /// Finishes what a process could not, and takes note of what a person has done.
        private func settle(_ capability: String, _ folder: CapabilityFolder) throws -> StateFile? {
            let kill = try folder.readKill()
            let file = try folder.readState(of: capability)
            if var unfinished = file {
                try log.add(unfinished.last)
                if !unfinished.isKillFileCurrent {
                    try finish(&unfinished, folder)
                    return unfinished
                }
            }
            if kill.map({ $0.says(file?.kill) }) ?? (file?.kill == nil) { return file }
            let at = now()
            let before =
                file?.stored ?? StoredUpgrade(state: UpgradeState(capability: capability, since: at / 1_000))
            let request = UpgradeRequest(
                kill.map { .kill($0.target) } ?? .unkill,
                by: kill?.whoever ?? "by hand",
                reason: kill?.whatever ?? "kill.json was removed",
                at: at,
                id: "kill.json \(before.revision + 1)"
            )
            let new = StateFile(before.switched(by: request), before.revision + 1)
            try folder.state.write(new)
            try? log.add(new.last)
            return new
        }

        private func write(_ change: UpgradeChange, over file: StateFile?, _ folder: CapabilityFolder) throws
            -> StateFile
        {
            var new = StateFile(change, change.before.revision + 1)
            new.isKillFileCurrent = new.kill == file?.kill
            try folder.state.write(new)
            // From here on the change is made: whoever comes next finishes it, if this process cannot.
            if !new.isKillFileCurrent { try finish(&new, folder) }
            try? log.add(new.last)
            return new
        }

        private func finish(_ file: inout StateFile, _ folder: CapabilityFolder) throws {
            do {
                if let kill = file.kill { try folder.kill.write(KillFile(kill)) } else { try folder.kill.remove() }
                file.isKillFileCurrent = true
                try folder.state.write(file)
            } catch let error as UpgradeStoreError {
                throw UpgradeStoreError(.outcomeUnknown, error.message, subject: error.subject, cause: error)
            }
        }
    }

    extension StateFile {
        fileprivate init(_ change: UpgradeChange, _ revision: Int64) {
            self.init(
                revision: revision,
                state: change.after.state,
                kill: change.after.kill,
                isKillFileCurrent: true,
                last: change.entry
            )
        }
    }

    extension CapabilityFolder {
        fileprivate func readKill() throws -> KillFile? { try kill.read(KillFile.self, needsFormat: false) }

        fileprivate func readState(of capability: String) throws -> StateFile? {
            guard let file = try state.read(StateFile.self, needsFormat: true) else { return nil }
            guard file.state.capability == capability else {
                throw UpgradeStoreError(
                    .unreadable,
                    "the file is of the capability \(file.state.capability), not \(capability)",
                    subject: state.path
                )
            }
            try file.stored.check(in: state.path)
            return file
        }
    }
#endif
