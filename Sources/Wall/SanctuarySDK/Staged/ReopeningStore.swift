#if Staged
    import Cofferdam
    import CofferdamUpgrade

    /// The upgrade's directory. One that cannot be opened now is tried again by the next who asks: an app starts without it, and
    /// follows it as soon as it is there.
    final class ReopeningStore: UpgradeStore, EvidenceStore, EvidenceLog {
        private let directory: String
        private let store: Mutex<FileUpgradeStore?>

        /// - Parameter directory: made if it is missing. Why it cannot be opened is told to whoever asks.
        init(directory: String) {
            self.directory = directory
            store = Mutex(try? FileUpgradeStore(directory: directory))
        }

        private var opened: FileUpgradeStore {
            get throws {
                try store.withLock { store in
                    if let store { return store }
                    let new = try FileUpgradeStore(directory: directory)
                    store = new
                    return new
                }
            }
        }

        func read(_ capability: String) async throws -> StoredUpgrade? { try await opened.read(capability) }

        func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? { try await opened.commit(change) }

        func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
            try await opened.entry(id, of: capability)
        }

        func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
            try await opened.history(of: capability, last: count)
        }

        func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals {
            try await opened.log.save(changes, of: capability)
        }

        func saved(of capability: String) async throws -> SavedEvidence? {
            try await opened.log.saved(of: capability)
        }

        func append(_ snapshot: EvidenceSnapshot) async throws { try await opened.log.append(snapshot) }

        func snapshots(of capability: String, epoch: Int?, last count: Int) async throws -> [EvidenceSnapshot] {
            try await opened.log.snapshots(of: capability, epoch: epoch, last: count)
        }
    }
#endif
