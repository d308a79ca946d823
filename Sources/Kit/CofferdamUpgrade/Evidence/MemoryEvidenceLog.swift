import Cofferdam
import DequeModule

/// Keeps how the evidence grew as long as the process lives: for rehearsals and tests.
public final class MemoryEvidenceLog: EvidenceLog {
    private let keptCount: Int
    private let kept = Mutex<[String: Deque<EvidenceSnapshot>]>([:])

    /// - Parameter count: how many are kept of each capability, at least 1; less is taken as 1.
    public init(keeping count: Int = EvidenceSnapshot.keptByDefault) { keptCount = max(1, count) }

    public func append(_ snapshot: EvidenceSnapshot) async {
        kept.withLock { kept in
            let surplus = kept[snapshot.capability, default: []].count + 1 - keptCount
            kept[snapshot.capability, default: []].removeFirst(max(0, surplus))
            kept[snapshot.capability, default: []].append(snapshot)
        }
    }

    public func snapshots(of capability: String, epoch: Int?, last count: Int) async -> [EvidenceSnapshot] {
        let all = kept.withLock { $0[capability, default: []] }
        let found = all.reversed().lazy.filter { epoch == nil || $0.reading.epoch == epoch }.prefix(max(0, count))
        return Array(found).reversed()
    }
}
