#if SQLite
    import Cofferdam

    /// Remembers upgrades in a directory: for each capability a folder with `seen.json`, and with `kill.json` where a person has put
    /// one there for this machine alone. Not the directory of a ``FileUpgradeStore``.
    ///
    /// Several processes of one installation may have it. Each writes what it knows over what the others know, with two exceptions:
    /// what is newer stays, and so do the orders of which it knows nothing, until who has given or read them lets them go.
    public final class FileUpgradeMemory: UpgradeMemory {
        public let directory: String
        private let store: String?
        private let jobs = DiskQueue(label: "cofferdam.upgrade.memory")
        /// Looking for a kill does not wait for a write.
        private let kills = DiskQueue(label: "cofferdam.upgrade.kill")
        /// The orders that were written or read here, by their ids, of each capability.
        private let known = Mutex([String: Set<String>]())

        /// - Parameters:
        ///   - directory: made if it is missing, for this account of the system alone.
        ///   - store: names the store, where it may be another one later: what was remembered of another says nothing then.
        public init(directory: String, of store: String? = nil) {
            self.directory = directory
            self.store = store
        }

        public func remembered(of capability: String) async throws -> RememberedUpgrade? {
            try await jobs.run { [self] in
                let upgrade = try CapabilityFolder(of: capability, in: directory).readSeen(of: store)
                note(upgrade?.orders ?? [], of: capability)
                return upgrade
            }
        }

        public func remember(_ upgrade: RememberedUpgrade) async throws {
            try await jobs.run { [self] in
                let capability = upgrade.state.capability
                let folder = CapabilityFolder(of: capability, in: directory)
                try folder.make()
                try folder.lock.withLock {
                    note(upgrade.orders, of: capability)
                    let known = known.withLock { $0[capability, default: []] }
                    let merged =
                        try folder.readSeen(of: store).map { upgrade.merged(over: $0, known: known) } ?? upgrade
                    try folder.seen.write(SeenFile(store: store, upgrade: merged))
                }
            }
        }

        public func localKill(of capability: String) async throws -> KillSwitch? {
            try await kills.run { [directory] in
                let file = CapabilityFolder(of: capability, in: directory).kill
                return try file.read(KillFile.self, needsFormat: false).map {
                    KillSwitch($0.target, by: $0.whoever, reason: $0.whatever, seq: $0.seq ?? 1)
                }
            }
        }

        private func note(_ orders: [UpgradeRequest], of capability: String) {
            known.withLock { $0[capability, default: []].formUnion(orders.map(\.id)) }
        }
    }

    extension RememberedUpgrade {
        /// What is to stand where another process may have written.
        ///
        /// - Parameter known: the orders of which this process knows what has become.
        fileprivate func merged(over file: RememberedUpgrade, known: Set<String>) -> RememberedUpgrade {
            var merged = file.revision > revision ? file : self
            // What was seen last may be what was seen before, once more.
            if file.stored == stored { merged.seen = max(seen, file.seen) }
            merged.orders = file.orders.filter { !known.contains($0.id) } + orders
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

        /// Nil where nothing, or something of another store, was remembered.
        fileprivate func readSeen(of store: String?) throws -> RememberedUpgrade? {
            guard let file = try seen.read(SeenFile.self, needsFormat: true) else { return nil }
            try file.upgrade.stored.check(in: seen.path)
            return file.store == store ? file.upgrade : nil
        }
    }
#endif
