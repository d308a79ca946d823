#if SQLite
    import Cofferdam

    /// Keeps upgrades in a directory, where several processes may use them: for each capability a folder with `state.json` and,
    /// while a kill switch is set, `kill.json`; and for all of them the log and the evidence in `upgrade.sqlite`.
    ///
    /// Each file is written whole and is on the disk when ``commit(_:)`` returns; it holds the log's last line, so that the log
    /// lacks none, whenever the process ends. A person may put a `kill.json` there, `{"target": "legacy"}`, and it is obeyed; or
    /// remove it, which clears the switch. A file that cannot be read is never overwritten.
    ///
    /// Reading needs no write and no log: a disk that is full or read-only and a database that is damaged keep neither a stage nor a
    /// kill from being followed. What a person has done then is written down as soon as it can be: ``settle(_:)``, which an
    /// ``UpgradeEngine`` calls.
    public final class FileUpgradeStore: UpgradeStore {
        public let directory: String
        /// The audit log, and the evidence. It is opened when it is first needed, and tells then why it cannot be.
        public let log: SQLiteUpgradeLog

        /// One for each, so that reading does not wait for a write.
        private let readings = DiskQueue(label: "cofferdam.upgrade.reading")
        private let jobs = DiskQueue(label: "cofferdam.upgrade.state")
        private let unwritten = Mutex([String: UnwrittenChanges]())
        private let now: @Sendable () -> Int64

        /// Nothing fails here: what cannot be made or opened is tried again by each call that needs it.
        ///
        /// - Parameters:
        ///   - directory: made if it is missing, for this account of the system alone.
        ///   - now: milliseconds since 1970, for what a person has changed by hand.
        public init(directory: String, now: @escaping @Sendable () -> Int64 = WallTime.now) {
            self.directory = directory
            self.now = now
            // The next write makes it again, and says why it cannot be made.
            try? CapabilityFolder.make(directory)
            log = SQLiteUpgradeLog(openingLater: directory + "/upgrade.sqlite", making: directory)
        }

        public var isLocal: Bool { true }

        public func read(_ capability: String) async throws -> StoredUpgrade? {
            try await readings.run { [self] in try current(capability)?.stored }
        }

        public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
            try await jobs.run { [self] in
                let capability = change.before.state.capability
                let folder = CapabilityFolder(of: capability, in: directory)
                try folder.make()
                return try folder.lock.withLock {
                    let file = try writeDown(capability, folder)
                    guard (file?.revision ?? 0) == change.before.revision else { return nil }
                    return try write(change, over: file, folder).stored
                }
            }
        }

        public func settle(_ capability: String) async throws {
            guard unwritten.withLock({ $0[capability]?.areThere ?? false }) else { return }
            try await jobs.run { [self] in
                let folder = CapabilityFolder(of: capability, in: directory)
                _ = try folder.lock.withLock { try writeDown(capability, folder) }
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
            // It tells what is to be written.
            _ = try await read(capability)
            try await settle(capability)
            try await jobs.run { [self] in
                let folder = CapabilityFolder(of: capability, in: directory)
                if let file = try folder.readState(of: capability) { try log.add(file.last) }
            }
        }

        /// What holds, after what a person has done by hand.
        private func current(_ capability: String) throws -> StateFile? {
            let folder = CapabilityFolder(of: capability, in: directory)
            let (file, kill) = try folder.readBoth(of: capability)
            // Of a directory that is not there nothing is known; one that is there need take no write.
            if file == nil, kill == nil { try CapabilityFolder.make(directory) }
            return unwritten.withLock {
                $0[capability, default: .init()].current(after: file, kill, of: capability, at: now())
            }
        }

        // MARK: Under the lock

        /// Finishes what a process could not, and writes down what a person has done.
        private func writeDown(_ capability: String, _ folder: CapabilityFolder) throws -> StateFile? {
            let current = try current(capability)
            let changes = unwritten.withLock { $0[capability, default: .init()].files }
            guard !changes.isEmpty else {
                guard var file = current else { return nil }
                try log.add(file.last)
                if !file.isKillFileCurrent { try finish(&file, folder) }
                return file
            }
            if let file = try folder.readState(of: capability) { try log.add(file.last) }
            for (place, change) in changes.enumerated() {
                // The file keeps one line alone: the log has it before the next one comes.
                if place > 0 { try log.add(changes[place - 1].last) }
                try folder.state.write(change)
                unwritten.withLock { $0[capability, default: .init()].noteWritten(change) }
            }
            if let last = changes.last { try? log.add(last.last) }
            return changes.last
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

    extension CapabilityFolder {
        /// Both as they stood at one moment, without a lock: a process that changes the kill switch writes the state before and after.
        fileprivate func readBoth(of capability: String) throws -> (StateFile?, KillFile?) {
            var file = try readState(of: capability)
            for _ in 0..<100 {
                let kill = try kill.read(KillFile.self, needsFormat: false)
                let again = try readState(of: capability)
                if again?.revision == file?.revision, again?.isKillFileCurrent == file?.isKillFileCurrent {
                    return (file, kill)
                }
                file = again
            }
            throw UpgradeStoreError(.unavailable, "it is changed again and again", subject: state.path)
        }

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
