import Cofferdam
import DequeModule

/// Keeps snapshots of the evidence for display: the most recent ones of each capability.
public protocol EvidenceLog: Sendable {
    func append(_ snapshot: EvidenceSnapshot) async throws

    /// The most recent snapshots of one epoch or of all, oldest first.
    ///
    /// - Parameter count: the maximum number of snapshots.
    func snapshots(of capability: String, epoch: Int?, last count: Int) async throws -> [EvidenceSnapshot]
}

extension EvidenceSnapshot {
    /// The default number of snapshots kept of a capability: one a minute for a week.
    public static let keptByDefault = 10_000
}

/// Keeps snapshots in memory, for rehearsals and tests.
package final class MemoryEvidenceLog: EvidenceLog {
    private let keptCount: Int
    private let kept = Mutex<[String: Deque<EvidenceSnapshot>]>([:])

    /// - Parameter count: how many snapshots are kept of each capability; at least 1.
    package init(keeping count: Int = EvidenceSnapshot.keptByDefault) { keptCount = max(1, count) }

    /// Keeps the snapshot. When the log is full, the capability's oldest one is dropped.
    package func append(_ snapshot: EvidenceSnapshot) async {
        kept.withLock { kept in
            let surplus = kept[snapshot.capability, default: []].count + 1 - keptCount
            kept[snapshot.capability, default: []].removeFirst(max(0, surplus))
            kept[snapshot.capability, default: []].append(snapshot)
        }
    }

    /// The newest snapshots of a capability, the oldest first.
    package func snapshots(of capability: String, epoch: Int?, last count: Int) async -> [EvidenceSnapshot] {
        let all = kept.withLock { $0[capability, default: []] }
        let found = all.reversed().lazy.filter { epoch == nil || $0.reading.epoch == epoch }.prefix(max(0, count))
        return Array(found).reversed()
    }
}
