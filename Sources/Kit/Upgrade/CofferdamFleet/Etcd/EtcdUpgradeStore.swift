#if Fleet
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Cofferdam
public import CofferdamCurl  // sends requests through its CurlClient
import CofferdamSupport
public import CofferdamUpgrade  // conforms to UpgradeStore

/// Stores the upgrades of a fleet in etcd, through its JSON gateway.
///
/// Each capability has the keys `state`, `kill` (which may also be set by hand), and `audit/ID` for each audit entry. A
/// change is one transaction: it checks the revisions of the first two keys and the absence of the entry, and then
/// writes them. It can therefore be sent again until its outcome is known, and takes effect once.
///
/// A store stops following a cluster that was replaced or set back: it throws `setBack`, until a new store is created.
public final class EtcdUpgradeStore: UpgradeStore {
    let gateway: EtcdGateway
    let pacing: Pacing
    private let lastReadings = Mutex([String: EtcdReading]())

    /// - Parameters:
    ///   - client: sends the requests, with its TLS settings.
    ///   - known: the position that the previous process last saw, to detect a cluster that was set back since.
    public convenience init(_ configuration: EtcdConfiguration, client: CurlClient, known: EtcdPosition? = nil) {
        self.init(EtcdGateway(configuration, transport: .curl(client), known: known))
    }

    init(_ gateway: EtcdGateway, pacing: Pacing = Pacing()) {
        self.gateway = gateway
        self.pacing = pacing
    }

    /// The position in the last answer; nil before the first one.
    public var position: EtcdPosition? { gateway.positionRecord.position }

    /// The time of etcd's hosts.
    public var wallTime: Int64? { gateway.time.milliseconds }

    // MARK: Reading

    /// Reads the capability's state; nil if there is none.
    public func read(_ capability: String) async throws -> StoredUpgrade? { try await reading(capability).stored }

    /// Reads the audit entry with that id; nil if there is none.
    public func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        let key = keys(capability).audit(id)
        return try await convertingErrors(key) {
            let answer = try await gateway.ask("/v3/kv/range", EtcdRange(key), as: EtcdRangeAnswer.self)
            return try answer.kvs?.first.map { try $0.decoded(AuditEntry.self) }
        }
    }

    /// The last audit entries, newest first.
    public func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        let keys = keys(capability).wholeAudit
        var range = EtcdRange(keys.lowerBound)
        range.rangeEnd = Data(keys.upperBound.utf8)
        (range.sortOrder, range.sortTarget) = ("DESCEND", "CREATE")
        var entries: [AuditEntry] = []
        while entries.count < count {
            // In pages, because a gateway limits the size of a message.
            let limit = min(200, count - entries.count)
            range.limit = EtcdInteger(Int64(limit))
            let pairs = try await convertingErrors(keys.lowerBound) {
                try await gateway.ask("/v3/kv/range", range, as: EtcdRangeAnswer.self).kvs ?? []
            }
            entries += try pairs.map { pair in try convertingErrors(pair.name) { try pair.decoded(AuditEntry.self) } }
            // A transaction creates one entry, so no two have the same revision.
            guard pairs.count == limit, let last = pairs.last, last.createRevision.value > 1 else { break }
            range.maxCreateRevision = EtcdInteger(last.createRevision.value - 1)
        }
        return entries
    }

    /// The stored upgrade, with the revisions that a transaction compares.
    func reading(_ capability: String) async throws -> EtcdReading {
        let keys = keys(capability)
        return try await convertingErrors(keys.state) {
            let known = lastReadings.withLock { $0[capability] }
            let question = EtcdTransaction(success: [.get(keys.state), .get(keys.kill)])
            let answer = try await gateway.ask("/v3/kv/txn", question, as: EtcdTransactionAnswer.self)
            let reading = try EtcdReading(answer, keys, capability)
            if let known { try reading.check(after: known) }
            remember(reading, for: capability)
            return reading
        }
    }

    // MARK: Shared parts

    func keys(_ capability: String) -> EtcdKeys { EtcdKeys(capability, prefix: gateway.configuration.prefix) }

    /// The last reading or write, if the change was prepared from it.
    func lastReading(matching stored: StoredUpgrade) -> EtcdReading? {
        lastReadings.withLock { $0[stored.state.capability] }.flatMap { $0.isBasis(of: stored) ? $0 : nil }
    }

    func remember(_ reading: EtcdReading, for capability: String) {
        lastReadings.withLock { all in
            if let last = all[capability], last.clusterRevision > reading.clusterRevision { return }
            all[capability] = reading
        }
    }

    func convertingErrors<Value>(_ key: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw Self.converted(error, of: key) }
    }

    func convertingErrors<Value>(_ key: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw Self.converted(error, of: key) }
    }

    private static func converted(_ error: any Error, of key: String) -> any Error {
        switch error {
        case let failure as EtcdFailure:
            UpgradeStoreError(
                failure.kind == .setBack ? .setBack : .unavailable,
                "etcd: \(failure.message)",
                subject: key
            )
        case let error as DecodingError:
            UpgradeStoreError(.unreadable, "it is not what this version writes", subject: key, cause: error)
        default: error
        }
    }
}

extension EtcdPair {
    var name: String { String(decoding: key, as: UTF8.self) }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: value ?? Data())
    }
}

extension EtcdUpgradeStore {
    /// Writes the change if the stored revision is still the one that it was prepared from, and returns nil otherwise.
    public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        guard let basis = try await basis(of: change.before) else { return nil }
        let keys = keys(change.before.state.capability)
        let transaction = try transaction(change, basis, keys)
        let deadline = pacing.now() + gateway.configuration.outcomeLimit
        var attempts = 0
        while true {
            do {
                let answer = try await gateway.ask("/v3/kv/txn", transaction, as: EtcdTransactionAnswer.self)
                return try convertingErrors(keys.audit(change.entry.id)) { try stored(change, answer, basis, keys) }
            } catch let failure as EtcdFailure {
                // Even if this attempt was refused, an earlier one may have made the change.
                guard failure.kind == .unknown || attempts > 0 && failure.kind == .refused else {
                    return try convertingErrors(keys.state) { throw failure }
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

    /// Takes effect once even if it is sent twice: the second time, the audit entry exists already.
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

    /// Nil if another change came first. An earlier attempt that is still on its way can no longer succeed then.
    private func stored(
        _ change: UpgradeChange,
        _ answer: EtcdTransactionAnswer,
        _ basis: EtcdReading,
        _ keys: EtcdKeys
    ) throws -> StoredUpgrade? {
        let line = answer.pair(keys.audit(change.entry.id))
        var revision = answer.header.revision?.value ?? 0
        if answer.succeeded != true {
            // Another process may have carried out the same request, from another state.
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
    /// For requests that delay a kill switch: seconds matter.
    static let etcd = Backoff(initial: .milliseconds(50), factor: 2, maximum: .seconds(1), jitter: 0.5)
}

extension EtcdUpgradeStore: UpgradeStoreWatching {
    /// Yields once when etcd is first reachable, and then for each change. Changes during an outage are included: when
    /// a watch ends, the stored state is compared.
    public func changes(of capability: String) -> AsyncStream<Void> {
        let last = Mutex(EtcdReading?.none)
        return AsyncStream {
            do {
                let now = try await self.change(of: capability, since: last.withLock { $0 })
                last.withLock { $0 = now }
                return ()
            } catch {
                // Only the reader's cancellation is thrown.
                return nil
            }
        }
    }

    /// - Parameter known: nil to return as soon as the state can be read.
    /// - Throws: `CancellationError`.
    private func change(of capability: String, since known: EtcdReading?) async throws -> EtcdReading {
        var attempts = 0
        while true {
            var watched: ContinuousClock.Instant?
            do {
                let now = try await reading(capability)
                guard let known, now.stored == known.stored else { return now }
                watched = pacing.now()
                // From the revision that was read, not from the keys' last change: that revision may have been
                // compacted.
                if try await gateway.waitForChange(in: keys(capability).watched, from: now.clusterRevision + 1) {
                    attempts = 0
                    continue
                }
            } catch let error as CancellationError {
                throw error
            } catch {
                // Readers of the store get the error; a watch tries again.
            }
            // However the watch ended, it has lasted: a kill switch must not wait for the next one as after a failure.
            if let watched, watched.duration(to: pacing.now()) >= Backoff.etcd.maximum { attempts = 0 }
            attempts += 1
            try await pacing.pause(Backoff.etcd.wait(attempt: attempts, random: pacing.random()))
        }
    }
}
#endif
