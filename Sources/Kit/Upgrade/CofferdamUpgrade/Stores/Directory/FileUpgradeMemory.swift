#if SQLite
import Cofferdam

/// Remembers upgrades in a directory: for each capability a folder with `seen.json`, and with `kill.json` if a
/// person put one there for this machine. Not the directory of a ``FileUpgradeStore``.
///
/// Several processes of one installation may share it. Each overwrites what the others wrote, except newer states
/// and requests that it does not know: these stay until the process that made or read them removes them.
public final class FileUpgradeMemory: UpgradeMemory {
    /// The directory.
    let directory: String
    private let store: String?
    private let jobs = DiskQueue(label: "cofferdam.upgrade.memory")
    /// Reading the kill switch does not wait for a write.
    private let kills = DiskQueue(label: "cofferdam.upgrade.kill")
    /// The requests that were written or read here, by id, for each capability.
    private let known = Mutex([String: Set<String>]())

    /// - Parameters:
    ///   - directory: created if it is missing, readable only by this account.
    ///   - store: identifies the store, if it may change later: memories of another store are ignored.
    public init(directory: String, of store: String? = nil) {
        self.directory = directory
        self.store = store
    }

    /// Reads the last known state; nil if there is none.
    public func remembered(of capability: String) async throws -> RememberedUpgrade? {
        try await jobs.run { [self] in
            let upgrade = try CapabilityFolder(of: capability, in: directory).readSeen(of: store)
            note(upgrade?.pendingRequests ?? [], of: capability)
            return upgrade
        }
    }

    /// Merges the state into the last known one, under a lock on the folder.
    public func remember(_ upgrade: RememberedUpgrade) async throws {
        try await jobs.run { [self] in
            let capability = upgrade.state.capability
            let folder = CapabilityFolder(of: capability, in: directory)
            try folder.make()
            try folder.lock.withLock {
                note(upgrade.pendingRequests, of: capability)
                let known = known.withLock { $0[capability, default: []] }
                let merged =
                    try folder.readSeen(of: store).map { upgrade.merged(over: $0, known: known) } ?? upgrade
                try folder.seen.write(SeenFile(store: store, upgrade: merged))
            }
        }
    }

    /// Reads the machine's own kill switch; nil if it is not set.
    public func localKill(of capability: String) async throws -> KillSwitch? {
        try await kills.run { [directory] in
            let file = CapabilityFolder(of: capability, in: directory).kill
            return try file.read(KillFile.self, needsFormat: false).map {
                KillSwitch($0.target, by: $0.author, reason: $0.explanation, seq: $0.seq ?? 1)
            }
        }
    }

    private func note(_ requests: [UpgradeRequest], of capability: String) {
        known.withLock { $0[capability, default: []].formUnion(requests.map(\.id)) }
    }
}

extension RememberedUpgrade {
    /// Merges with a file that another process may have written.
    ///
    /// - Parameter known: the requests whose outcome this process knows.
    fileprivate func merged(over file: RememberedUpgrade, known: Set<String>) -> RememberedUpgrade {
        var merged = file.revision > revision ? file : self
        // The same state may have been seen again.
        if file.stored == stored { merged.seen = max(seen, file.seen) }
        merged.pendingRequests = file.pendingRequests.filter { !known.contains($0.id) } + pendingRequests
        merged.stop = [stop, file.stop].compactMap(\.self).filter { $0.holds(over: merged.stored) }
            .max { $0.at < $1.at }
        return merged
    }
}

private struct SeenFile: Codable {
    var format = StateFile.format
    var store: String?
    var upgrade: RememberedUpgrade
}

extension CapabilityFolder {
    fileprivate var seen: DurableFile { DurableFile(path: path + "/seen.json") }

    /// Nil if there is no memory, or one of another store.
    fileprivate func readSeen(of store: String?) throws -> RememberedUpgrade? {
        guard let file = try seen.read(SeenFile.self, needsFormat: true) else { return nil }
        try file.upgrade.stored.check(in: seen.path)
        return file.store == store ? file.upgrade : nil
    }
}
#endif
