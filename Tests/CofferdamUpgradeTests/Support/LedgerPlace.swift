import Cofferdam
import CofferdamUpgrade
import UpgradeTestSupport

/// The ledgers of the kit.
enum LedgerPlace: String, Sendable, CaseIterable {
    case memory
    #if SQLite
    case file
    #endif

    /// Opens the same ledger twice.
    func withLedgers(_ body: (any EvidenceLedger, any EvidenceLedger) async throws -> Void) async throws {
        switch self {
        case .memory:
            let ledger = MemoryLedger()
            try await body(ledger, ledger)
        #if SQLite
        case .file:
            try await UpgradeFolder.with { folder in
                try await body(try folder.store().log, try folder.store().log)
            }
        #endif
        }
    }

    func withLedger(_ body: (any EvidenceLedger) async throws -> Void) async throws {
        try await withLedgers { ledger, _ in try await body(ledger) }
    }
}

/// Passes rows on, and keeps what it was given.
final class CountingLedger: EvidenceLedger {
    private let next: any EvidenceLedger
    private let given = Mutex<[EvidenceRows]>([])

    init(_ next: any EvidenceLedger) { self.next = next }

    var batches: [EvidenceRows] { given.withLock { $0 } }
    /// The number of rows so far.
    var rows: Int { batches.reduce(0) { $0 + $1.rows.count } }

    func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts {
        given.withLock { $0.append(rows) }
        return try await next.merge(rows, of: capability)
    }

    func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts? {
        try await next.counts(of: capability, under: key)
    }

    func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts] {
        try await next.builds(of: capability, epoch: epoch)
    }

    func newestEpoch(of capability: String) async throws -> Int? { try await next.newestEpoch(of: capability) }
}
