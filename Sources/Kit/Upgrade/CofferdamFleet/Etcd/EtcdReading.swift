#if Fleet
import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What etcd stores for one capability at one revision of the cluster.
struct EtcdReading: Sendable {
    var stored: StoredUpgrade?
    /// The revision of the key's last change; 0 if there is no such key.
    var stateRevision: Int64
    var killRevision: Int64
    var clusterRevision: Int64

    /// - Throws: `DecodingError`; `UpgradeStoreError` with `unreadable`.
    init(_ answer: EtcdTransactionAnswer, _ keys: EtcdKeys, _ capability: String) throws {
        let (state, kill) = (answer.pair(keys.state), answer.pair(keys.kill))
        stateRevision = state?.modRevision.value ?? 0
        killRevision = kill?.modRevision.value ?? 0
        clusterRevision = answer.header.revision?.value ?? 0
        guard state != nil || kill != nil else { return }
        stored = StoredUpgrade(
            state: try state?.decoded(UpgradeState.self) ?? UpgradeState(capability: capability, since: 0),
            kill: try kill?.decoded(WrittenKillSwitch.self).killSwitch,
            revision: max(stateRevision, killRevision)
        )
        try stored?.check(in: state == nil ? keys.kill : keys.state)
    }

    /// A key that was deleted by hand is as bad as a cluster that was set back: the state is unknown.
    func check(after known: EtcdReading) throws(EtcdFailure) {
        let (now, before) = (stored?.revision ?? 0, known.stored?.revision ?? 0)
        guard now < before || now == before && stored != known.stored else { return }
        throw EtcdFailure(.setBack, "the stored state has revision \(now), and differs from that of \(before)")
    }

    /// Whether a change that was prepared from `before` may be applied to this.
    func isBasis(of before: StoredUpgrade) -> Bool {
        before.revision == (stored?.revision ?? 0) && before.kill == stored?.kill
    }
}

/// A kill switch that may have been written by hand: only the target is required.
private struct WrittenKillSwitch: Decodable {
    var target: KillSwitch.Target
    var by: String?
    var reason: String?
    var seq: Int?

    var killSwitch: KillSwitch {
        KillSwitch(target, by: by ?? "unknown", reason: reason ?? "none given", seq: seq ?? 1)
    }
}
#endif
