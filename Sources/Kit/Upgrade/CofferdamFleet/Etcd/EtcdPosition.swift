#if Fleet
import Cofferdam

/// The cluster that last answered, and its revision, which only grows.
///
/// A cluster that was created anew from the same members has the same id, but another revision.
public struct EtcdPosition: Sendable, Hashable, Codable {
    /// The id of the cluster.
    var clusterID: Int64
    /// The cluster's revision.
    var revision: Int64

    /// Creates a value from its parts.
    init(clusterID: Int64, revision: Int64) {
        self.clusterID = clusterID
        self.revision = revision
    }
}

/// Detects a cluster that was replaced or set back.
final class EtcdPositionRecord: Sendable {
    private let known: Mutex<EtcdPosition?>

    init(_ known: EtcdPosition?) { self.known = Mutex(known) }

    var position: EtcdPosition? { known.withLock { $0 } }

    /// - Parameters:
    ///   - start: the position known when the request began, because answers may overtake each other.
    ///   - isLinearizable: whether the answer is a majority's. A single member may lag, so only its cluster's id is
    ///     checked.
    /// - Throws: ``EtcdFailure`` with `setBack`; with `unknown` for a revision that is out of range.
    func observe(_ header: EtcdHeader, since start: EtcdPosition?, isLinearizable: Bool) throws(EtcdFailure) {
        let now = EtcdPosition(clusterID: header.clusterId.value, revision: header.revision?.value ?? 0)
        guard (0...(1 << 52)).contains(now.revision) else {
            throw EtcdFailure(.unknown, "it answers with revision \(now.revision), which is out of range")
        }
        if let start {
            guard now.clusterID == start.clusterID else {
                throw EtcdFailure(
                    .setBack,
                    "cluster \(now.clusterText) answers, but \(start.clusterText) was followed"
                )
            }
            guard !isLinearizable || now.revision >= start.revision else {
                throw EtcdFailure(
                    .setBack,
                    "the cluster is at revision \(now.revision), but was at \(start.revision) before"
                )
            }
        }
        guard isLinearizable else { return }
        known.withLock { $0 = $0.map { $0.revision > now.revision ? $0 : now } ?? now }
    }
}

extension EtcdPosition {
    /// The cluster's id as etcd's own tools write it.
    fileprivate var clusterText: String { String(UInt64(bitPattern: clusterID), radix: 16) }
}
#endif
