#if SQLite
    /// Remembers upgrades in a directory: for each capability a folder with `seen.json`, and with `kill.json` where a person has put
    /// one there for this machine alone. Not the directory of a ``FileUpgradeStore``. One process has it.
    public struct FileUpgradeMemory: UpgradeMemory {
        public let directory: String
        private let jobs = DiskQueue(label: "cofferdam.upgrade.memory")

        /// - Parameter directory: made if it is missing, for this account of the system alone.
        public init(directory: String) { self.directory = directory }

        public func remembered(of capability: String) async throws -> RememberedUpgrade? {
            try await jobs.run { [directory] in
                let file = CapabilityFolder(of: capability, in: directory).seen
                let upgrade = try file.read(SeenFile.self, needsFormat: true)?.upgrade
                try upgrade?.stored.check(in: file.path)
                return upgrade
            }
        }

        public func remember(_ upgrade: RememberedUpgrade) async throws {
            try await jobs.run { [directory] in
                let folder = CapabilityFolder(of: upgrade.state.capability, in: directory)
                try folder.make()
                try folder.seen.write(SeenFile(upgrade: upgrade))
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
        var upgrade: RememberedUpgrade
    }

    extension CapabilityFolder {
        fileprivate var seen: DurableFile { DurableFile(path: path + "/seen.json") }
    }
#endif
