#if Fleet
package import CofferdamUpgrade  // the entries that it returns

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a receiver has not received yet of the audit logs in etcd, for the one of several servers whose turn it is to send it.
///
/// A turn is a key with a lease, and ends when its server ends it or has not renewed it for that time. Where the receiver stands is a key beside
/// it, which only the server whose turn it is moves. The next server goes on there: nothing is left out, and an entry that was being
/// sent may be sent again. Each server has one, and calls it from one task.
package actor EtcdOutbox {
    private let store: EtcdUpgradeStore
    private let capabilities: [String]
    private let turn: String
    private let place: String
    private let seconds: EtcdInteger
    /// The lease of this server's turn, and the revision at which the turn began; nil between its turns.
    private var own: (lease: EtcdInteger, since: Int64)?

    /// - Parameter seconds: how long a turn lasts without its server: longer than it takes to send an entry.
    package init(_ store: EtcdUpgradeStore, receiver: String, capabilities: [String], seconds: Int = 15) {
        (self.store, self.capabilities) = (store, capabilities)
        (turn, place) = EtcdKeys.receiver(receiver, prefix: store.gateway.configuration.prefix)
        self.seconds = EtcdInteger(Int64(seconds))
    }

    /// Where the receiver stands, as a revision: a new one where the cluster is now.
    @discardableResult package func standing() async throws -> Int64 {
        let answer = try await range(EtcdRange(place))
        if let pair = answer.kvs?.first { return try store.convertingErrors(place) { try pair.decoded(Int64.self) } }
        let now = answer.header.revision?.value ?? 0
        let made = try await transact(place, wasChangedAt: 0, .put(place, Data("\(now)".utf8)))
        return made.succeeded == true ? now : try await standing()
    }

    /// The entries of all capabilities that the receiver has not received, oldest first; none if it is another server's turn.
    ///
    /// - Parameter limit: the most of one capability.
    package func entries(limit: Int) async throws -> [(revision: Int64, entry: AuditEntry)] {
        guard try await takeTurn() else { return [] }
        let standing = try await standing()
        var found: [(revision: Int64, entry: AuditEntry)] = []
        // What comes after this is read the next time, or an older entry of another capability would be left out.
        var end = Int64.max
        for capability in capabilities {
            let keys = store.keys(capability)
            let state = try await range(EtcdRange(keys.state))
            end = min(end, state.header.revision?.value ?? 0)
            // An entry and its state are written at one revision. etcd looks through a whole log, so ask only if there is news.
            guard let changed = state.kvs?.first?.modRevision.value, changed > standing else { continue }
            var range = EtcdRange(keys.wholeAudit.lowerBound)
            range.rangeEnd = Data(keys.wholeAudit.upperBound.utf8)
            (range.sortOrder, range.sortTarget) = ("ASCEND", "CREATE")
            (range.minCreateRevision, range.limit) = (EtcdInteger(standing + 1), EtcdInteger(Int64(limit)))
            let pairs = try await self.range(range).kvs ?? []
            if pairs.count == limit, let last = pairs.last { end = min(end, last.createRevision.value) }
            found += try pairs.map { pair in
                (pair.createRevision.value, try store.convertingErrors(pair.name) { try pair.decoded(AuditEntry.self) })
            }
        }
        return found.filter { $0.revision <= end }.sorted { $0.revision < $1.revision }
    }

    /// Notes that the receiver has received everything up to that revision.
    ///
    /// - Throws: `UpgradeStoreError` with `unavailable` if this server's turn is over.
    package func noteReceived(_ revision: Int64) async throws {
        if try await renewTurn(), let own {
            let noted = try await transact(turn, wasChangedAt: own.since, .put(place, Data("\(revision)".utf8)))
            if noted.succeeded == true { return }
        }
        own = nil
        throw UpgradeStoreError(.unavailable, "another server sends to this receiver now", subject: turn)
    }

    // MARK: Turns

    /// Ends this server's turn, so that another one need not wait for the end of the lease.
    package func endTurn() async throws {
        guard let own else { return }
        self.own = nil
        _ = try await store.convertingErrors(turn) {
            try await store.gateway.ask("/v3/lease/revoke", ["ID": own.lease], as: EtcdRevokedLease.self)
        }
    }

    private func renewTurn() async throws -> Bool {
        guard let own else { return false }
        let answer = try await store.convertingErrors(turn) {
            try await store.gateway.ask("/v3/lease/keepalive", ["ID": own.lease], as: EtcdKeptLease.self)
        }
        if (answer.result.seconds?.value ?? 0) == 0 { self.own = nil }
        return self.own != nil
    }

    private func takeTurn() async throws -> Bool {
        if try await renewTurn() { return true }
        guard try await range(EtcdRange(turn)).kvs?.isEmpty ?? true else { return false }
        // If another server is quicker, or the outcome unknown, the lease ends by itself.
        let lease = try await store.convertingErrors(turn) {
            try await store.gateway.ask("/v3/lease/grant", ["TTL": seconds], as: EtcdLease.self).id
        }
        let taken = try await transact(turn, wasChangedAt: 0, .put(turn, Data(), lease: lease))
        if taken.succeeded == true { own = (lease, taken.header.revision?.value ?? 0) }
        return own != nil
    }

    // MARK: Requests

    private func range(_ range: EtcdRange) async throws -> EtcdRangeAnswer {
        try await store.convertingErrors(String(decoding: range.key, as: UTF8.self)) {
            try await store.gateway.ask("/v3/kv/range", range, as: EtcdRangeAnswer.self)
        }
    }

    private func transact(
        _ key: String,
        wasChangedAt revision: Int64,
        _ operation: EtcdTransaction.Operation
    ) async throws -> EtcdTransactionAnswer {
        let transaction = EtcdTransaction(compare: [.init(key, wasChangedAt: revision)], success: [operation])
        return try await store.convertingErrors(key) {
            try await store.gateway.ask("/v3/kv/txn", transaction, as: EtcdTransactionAnswer.self)
        }
    }
}
#endif
