#if SQLite
    /// Remembers upgrades in a directory: for each capability a folder with `seen.json`, and with `kill.json` where a person has put
    /// one there for this machine alone. Not the directory of a ``FileUpgradeStore``. Of several processes that have it, what the
    /// last one remembers stands.
    public struct FileUpgradeMemory: UpgradeMemory {
        public let directory: String
        private let store: String?
        private let jobs = DiskQueue(label: "cofferdam.upgrade.memory")

        /// - Parameters:
        ///   - directory: made if it is missing, for this account of the system alone.
        ///   - store: names the store, where it may be another one later: what was remembered of another says nothing then.
        public init(directory: String, of store: String? = nil) {
            self.directory = directory
            self.store = store
        }

        public func remembered(of capability: String) async throws -> RememberedUpgrade? {
            try await jobs.run { [directory, store] in
                let file = CapabilityFolder(of: capability, in: directory).seen
                guard let seen = try file.read(SeenFile.self, needsFormat: true) else { return nil }
                try seen.upgrade.stored.check(in: file.path)
                return seen.store == store ? seen.upgrade : nil
            }
        }

        public func remember(_ upgrade: RememberedUpgrade) async throws {
            try await jobs.run { [directory, store] in
                let folder = CapabilityFolder(of: upgrade.state.capability, in: directory)
                try folder.make()
                try folder.lock.withLock { try folder.seen.write(SeenFile(store: store, upgrade: upgrade)) }
            }
        }

        public func localKill(of capability: String) async throws -> KillSwitch? {
            try await jobs.run { [directory] in
                let file = CapabilityFolder(of: capability, in: directory).kill
                return try file.read(KillFile.self, needsFormat: false).map {
                    KillSwitch($0.target, by: $0.whoever, reason: $0.whatever, seq: $0.seq ?? 1)
                }
            }
        }
    }

    private struct SeenFile: Codable {
        var format = StateFile.format
        var store: String?
        var upgrade: RememberedUpgrade
    }

    extension CapabilityFolder {
        fileprivate var seen: DurableFile { DurableFile(path: path + "/seen.json") }
    }
#endif
