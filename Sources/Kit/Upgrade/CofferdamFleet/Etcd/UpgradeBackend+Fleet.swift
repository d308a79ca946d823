#if Fleet
public import CofferdamUpgrade  // an instance's backend

extension UpgradeBackend {
    /// One instance of a service: it follows the state in etcd, and a tool or a server decides over all instances.
    ///
    /// Export the instance's counts beside it, with an ``EvidenceExporter``.
    ///
    /// - Parameters:
    ///   - evidence: the counts of all instances, such as ``PrometheusEvidence``; the instance's gate then goes back by them, and
    ///     its status shows them. Nil for its own.
    ///   - directory: where the calls in flight are noted, so that the next process sees a crash; nil to note none.
    public static func fleet(
        _ store: EtcdUpgradeStore,
        evidence: (any EvidenceSource)? = nil,
        callsIn directory: String? = nil
    ) -> UpgradeBackend {
        var backend = UpgradeBackend(store: store, ledger: nil, decides: false, callsIn: directory)
        (backend.watching, backend.evidence, backend.isShared) = (store, evidence, true)
        return backend
    }
}
#endif
