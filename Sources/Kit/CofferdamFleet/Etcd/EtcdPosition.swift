import Cofferdam

/// Which cluster was heard, and how far it was: what may only grow.
///
/// A cluster that was begun anew with the same members has the same id, and another revision.
public struct EtcdPosition: Sendable, Hashable, Codable {
    /// The id of the cluster.
    public var clusterID: Int64
    /// The revision.
    public var revision: Int64

    /// Creates a value from its parts.
    public init(clusterID: Int64, revision: Int64) {
        self.clusterID = clusterID
        self.revision = revision
    }
}

/// Notices a cluster that goes back.
final class EtcdPositionRecord: Sendable {
    private let known: Mutex<EtcdPosition?>

    init(_ known: EtcdPosition?) { self.known = Mutex(known) }

    var position: EtcdPosition? { known.withLock { $0 } }

    /// - Parameters:
    ///   - start: what was known when the request began: answers may overtake each other.
    ///   - isAgreedOn: whether a majority has answered. A single member may be behind, and only its cluster counts.
    /// - Throws: ``EtcdFailure`` with `setBack`; with `unknown` for a revision that is none.
    func hear(_ header: EtcdHeader, since start: EtcdPosition?, isAgreedOn: Bool) throws(EtcdFailure) {
        let now = EtcdPosition(clusterID: header.clusterId.value, revision: header.revision?.value ?? 0)
        guard (0...(1 << 52)).contains(now.revision) else {
            throw EtcdFailure(.unknown, "it answers with revision \(now.revision), which is out of range")
        }
        if let start {
            guard now.clusterID == start.clusterID else {
                throw EtcdFailure(
                    .setBack,
                    "cluster \(now.clusterText) answers, where \(start.clusterText) was followed"
                )
            }
            guard !isAgreedOn || now.revision >= start.revision else {
                throw EtcdFailure(
                    .setBack,
                    "the cluster is at revision \(now.revision), and was at \(start.revision) before"
                )
            }
        }
        guard isAgreedOn else { return }
        known.withLock { $0 = $0.map { $0.revision > now.revision ? $0 : now } ?? now }
    }
}

extension EtcdPosition {
    /// As etcd's own tools write it.
    fileprivate var clusterText: String { String(UInt64(bitPattern: clusterID), radix: 16) }
}
