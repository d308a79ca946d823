import Cofferdam
import CofferdamCurl
public import CofferdamUpgrade  // changes are its UpgradeChange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EtcdUpgradeStore {
    public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        guard let basis = try await basis(of: change.before) else { return nil }
        let keys = keys(change.before.state.capability)
        let transaction = try transaction(change, basis, keys)
        let deadline = pacing.now() + gateway.configuration.outcomeLimit
        var attempts = 0
        while true {
            do {
                let answer = try await gateway.ask("/v3/kv/txn", transaction, as: EtcdTransactionAnswer.self)
                return try telling(keys.audit(change.entry.id)) { try stored(change, answer, basis, keys) }
            } catch let failure as EtcdFailure {
                // Refused, it may still have been done by an attempt before.
                guard failure.kind == .unknown || attempts > 0 && failure.kind == .refused else {
                    return try telling(keys.state) { throw failure }
                }
                attempts += 1
                let wait = Backoff.etcd.wait(attempt: attempts, random: pacing.random())
                guard pacing.now() + wait < deadline else {
                    throw UpgradeStoreError(
                        .outcomeUnknown,
                        "etcd: \(failure.message); the change may have been made",
                        subject: keys.audit(change.entry.id)
                    )
                }
                try await pacing.pause(wait)
            }
        }
    }

    private func basis(of before: StoredUpgrade) async throws -> EtcdReading? {
        if let known = lastReading(matching: before) { return known }
        let now = try await reading(before.state.capability)
        return now.isBasis(of: before) ? now : nil
    }

    /// Sent twice, it is carried out once: the second time there is the line of the log already.
    private func transaction(
        _ change: UpgradeChange,
        _ basis: EtcdReading,
        _ keys: EtcdKeys
    ) throws -> EtcdTransaction {
        let line = keys.audit(change.entry.id)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var transaction = EtcdTransaction(
            compare: [
                .init(keys.state, wasChangedAt: basis.stateRevision),
                .init(keys.kill, wasChangedAt: basis.killRevision),
                .init(line, wasChangedAt: 0),
            ],
            success: [
                .put(keys.state, try encoder.encode(change.after.state)), .put(line, try encoder.encode(change.entry)),
            ],
            failure: [.get(line)]
        )
        if change.after.kill != change.before.kill {
            let kill = try change.after.kill.map { EtcdTransaction.Operation.put(keys.kill, try encoder.encode($0)) }
            transaction.success.append(kill ?? .delete(keys.kill))
        }
        return transaction
    }

    /// Nil if somebody was quicker. An attempt before this one that is still on its way cannot be made any more then.
    private func stored(
        _ change: UpgradeChange,
        _ answer: EtcdTransactionAnswer,
        _ basis: EtcdReading,
        _ keys: EtcdKeys
    ) throws -> StoredUpgrade? {
        let line = answer.pair(keys.audit(change.entry.id))
        var revision = answer.header.revision?.value ?? 0
        if answer.succeeded != true {
            // The same request may have been carried out by another process, from something else.
            guard let line, try line.decoded(AuditEntry.self) == change.entry else { return nil }
            revision = line.modRevision.value
        }
        var reading = basis
        var stored = change.after
        stored.revision = revision
        (reading.stored, reading.stateRevision, reading.clusterRevision) = (stored, revision, revision)
        if stored.kill != change.before.kill { reading.killRevision = stored.kill == nil ? 0 : revision }
        remember(reading, for: change.before.state.capability)
        return stored
    }
}

extension Backoff {
    /// For what a kill switch waits for: seconds matter.
    static let etcd = Backoff(initial: .milliseconds(50), factor: 2, maximum: .seconds(1), jitter: 0.5)
}
