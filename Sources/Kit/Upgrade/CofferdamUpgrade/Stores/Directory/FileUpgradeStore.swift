#if SQLite
import Cofferdam

/// Stores upgrades in a directory that several processes may share: for each capability a folder with
/// `state.json` and, while a kill switch is set, `kill.json`; and the audit log and the evidence of all in
/// `upgrade.sqlite`.
///
/// Each file is written atomically and is on disk when ``commit(_:)`` returns. It contains the last audit entry,
/// so that the log is complete whenever the process ends. A person may create a `kill.json`, `{"target":
/// "legacy"}`, which takes effect, or delete it, which clears the switch. A file that cannot be read is never
/// overwritten.
///
/// Reading needs neither a write nor the log: a full or read-only disk and a damaged database stop neither a
/// stage nor a kill switch. An edit by hand is recorded as soon as possible: by ``settle(_:)``, which an
/// ``UpgradeEngine`` calls.
public final class FileUpgradeStore: UpgradeStore {
    /// The directory.
    public let directory: String
    /// The audit log and the evidence, opened when first needed; errors appear then.
    public let log: SQLiteUpgradeLog

    /// Separate queues, so that reading does not wait for a write.
    private let readings = DiskQueue(label: "cofferdam.upgrade.reading")
    private let jobs = DiskQueue(label: "cofferdam.upgrade.state")
    private let unwritten = Mutex([String: UnwrittenChanges]())
    private let now: @Sendable () -> Int64

    /// Creates the store. It never fails: each call that needs a file tries again to create or open it.
    ///
    /// - Parameters:
    ///   - directory: created if it is missing, readable only by this account.
    ///   - now: milliseconds since 1970, for edits by hand.
    public init(directory: String, now: @escaping @Sendable () -> Int64 = WallTime.now) {
        self.directory = directory
        self.now = now
        // The next write tries again and throws the error.
        try? CapabilityFolder.make(directory)
        log = SQLiteUpgradeLog(openingLater: directory + "/upgrade.sqlite", making: directory)
    }

    /// True: a directory belongs to one machine.
    public var isLocal: Bool { true }

    /// Reads the capability's state from its folder; nil if there is none.
    public func read(_ capability: String) async throws -> StoredUpgrade? {
        try await readings.run { [self] in try current(capability)?.stored }
    }

    /// Writes the change if the stored revision is still the one it was made from; returns nil otherwise.
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

    /// Persists a change that was read but could not be written yet, such as an edit by hand.
    public func settle(_ capability: String) async throws {
        guard unwritten.withLock({ $0[capability]?.hasChanges ?? false }) else { return }
        try await jobs.run { [self] in
            let folder = CapabilityFolder(of: capability, in: directory)
            _ = try folder.lock.withLock { try writeDown(capability, folder) }
        }
    }

    /// The audit entry with that id; nil if there is none.
    public func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await completeLog(of: capability)
        return try await log.entry(id, of: capability)
    }

    /// The last audit entries, newest first.
    public func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await completeLog(of: capability)
        return try await log.history(of: capability, last: count)
    }

    private func completeLog(of capability: String) async throws {
        // Reading finds what must be written.
        _ = try await read(capability)
        try await settle(capability)
        try await jobs.run { [self] in
            let folder = CapabilityFolder(of: capability, in: directory)
            if let file = try folder.readState(of: capability) { try log.add(file.last) }
        }
    }

    /// The current state, including edits by hand.
    private func current(_ capability: String) throws -> StateFile? {
        let folder = CapabilityFolder(of: capability, in: directory)
        let (file, kill) = try folder.readBoth(of: capability)
        // A missing directory is an error; an existing one need not be writable.
        if file == nil, kill == nil { try CapabilityFolder.make(directory) }
        return unwritten.withLock {
            $0[capability, default: .init()].current(after: file, kill, of: capability, at: now())
        }
    }

    // MARK: Under the lock

    /// Finishes the change of another process, and records edits by hand.
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
            // The file holds only the last entry: log it before writing the next one.
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
        // The change is made now: if this process cannot finish it, the next one does.
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
    /// Reads both files at one moment without a lock: a process that changes the kill switch writes the state
    /// before and after.
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
        throw UpgradeStoreError(.unavailable, "it keeps changing", subject: state.path)
    }

    fileprivate func readState(of capability: String) throws -> StateFile? {
        guard let file = try state.read(StateFile.self, needsFormat: true) else { return nil }
        guard file.state.capability == capability else {
            throw UpgradeStoreError(
                .unreadable,
                "the file is for the capability \(file.state.capability), not \(capability)",
                subject: state.path
            )
        }
        try file.stored.check(in: state.path)
        return file
    }
}
#endif
