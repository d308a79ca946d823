import Cofferdam

/// Keeps the rows of all processes that count the units of a capability, and their counts.
///
/// A unit counts once for an operation in each epoch and under each key, whichever process saw it, and however often its
/// row arrives: see `EvidenceRow`. Builds that run at the same time count separately.
public protocol EvidenceLedger: Sendable {
    /// Merges the rows in one transaction. Rows of an epoch that a newer one has replaced are ignored.
    ///
    /// - Returns: the counts of that epoch and key, with those of other processes.
    @discardableResult
    func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts

    /// The counts under that key, in its latest epoch; nil if there are none.
    func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts?

    /// The counts of an epoch, one for each build: see ``Arm``.
    func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts]

    /// The latest epoch with counts, under any key; nil if there is none.
    func newestEpoch(of capability: String) async throws -> Int?
}

// MARK: Memory

/// Keeps evidence in memory, for rehearsals and tests that simulate several processes in one.
public final class MemoryLedger: EvidenceLedger {
    private struct Epoch {
        var counts: EvidenceCounts
        var rows = MemoryRows()
    }

    private let epochs = Mutex<[String: [Epoch]]>([:])

    /// Creates an empty ledger.
    public init() {}

    /// Merges the rows.
    @discardableResult
    public func merge(_ rows: EvidenceRows, of capability: String) async -> EvidenceCounts {
        epochs.withLock { epochs in
            var kept = epochs[capability, default: []].filter { !$0.counts.isReplaced(by: rows) }
            let place = kept.firstIndex { $0.counts.epoch == rows.epoch && $0.counts.key == rows.key }
            var epoch =
                place.map { kept.remove(at: $0) }
                ?? Epoch(counts: EvidenceCounts(rows.key, epoch: rows.epoch, series: .randomID()))
            guard !kept.contains(where: { $0.counts.isNewer(than: rows) }) else { return epoch.counts }
            epochs[capability] = nil
            if epoch.counts.key.stage.comparesBuilds {
                epoch.rows.others = kept.filter { $0.counts.isOtherBuild(in: epoch.counts) }.map(\.rows)
            }
            // Rows in memory never fail.
            _ = try? epoch.counts.merge(rows, into: &epoch.rows)
            epoch.rows.others = []
            epochs[capability] = kept + [epoch]
            return epoch.counts
        }
    }

    /// The counts under that key, in its latest epoch; nil if there are none.
    public func counts(of capability: String, under key: EpochKey) async -> EvidenceCounts? {
        epochs.withLock { epochs in
            epochs[capability, default: []].map(\.counts).filter { $0.key == key }.max { $0.epoch < $1.epoch }
        }
    }

    /// The counts of an epoch, one for each build.
    public func builds(of capability: String, epoch: Int) async -> [EvidenceCounts] {
        epochs.withLock { $0[capability, default: []].map(\.counts).filter { $0.epoch == epoch } }
    }

    /// The latest epoch with counts; nil if there is none.
    public func newestEpoch(of capability: String) async -> Int? {
        epochs.withLock { $0[capability]?.map(\.counts.epoch).max() }
    }
}
