import Cofferdam
public import CofferdamCurl  // asks through an HTTP client that it is given
public import CofferdamUpgrade  // it is one of the stores of upgrades

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the upgrades of a fleet in etcd, through its JSON gateway.
///
/// For each capability there are the keys `state`, `kill` (which a person may put by hand too), and `audit/ID` for each line of
/// the log. A change is one transaction, which compares the revisions of the first two and that there is no such line yet, and puts
/// all. So it can be sent again until its outcome is known, and is made once.
///
/// A cluster that is another one than before, or that was set back, is followed no more: `setBack`, until a new store is made.
public final class EtcdUpgradeStore: UpgradeStore {
    let gateway: EtcdGateway
    let pacing: Pacing
    private let lastReadings = Mutex([String: EtcdReading]())

    /// - Parameters:
    ///   - client: says how TLS is spoken.
    ///   - known: where the cluster was in the process before, so that a cluster that was set back since is noticed.
    public convenience init(_ configuration: EtcdConfiguration, client: CurlClient, known: EtcdPosition? = nil) {
        self.init(EtcdGateway(configuration, transport: .curl(client), known: known))
    }

    init(_ gateway: EtcdGateway, pacing: Pacing = Pacing()) {
        self.gateway = gateway
        self.pacing = pacing
    }

    /// What was heard last; nil before the first answer.
    public var position: EtcdPosition? { gateway.heard.position }

    // MARK: Reading

    public func read(_ capability: String) async throws -> StoredUpgrade? { try await reading(capability).stored }

    public func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        let key = keys(capability).audit(id)
        return try await telling(key) {
            let answer = try await gateway.ask("/v3/kv/range", EtcdRange(key), as: EtcdRangeAnswer.self)
            return try answer.kvs?.first.map { try $0.decoded(AuditEntry.self) }
        }
    }

    public func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        let keys = keys(capability).wholeAudit
        var range = EtcdRange(keys.lowerBound)
        range.rangeEnd = Data(keys.upperBound.utf8)
        (range.sortOrder, range.sortTarget) = ("DESCEND", "CREATE")
        var entries: [AuditEntry] = []
        while entries.count < count {
            // In pages, for the sake of the largest message that a gateway takes.
            let limit = min(200, count - entries.count)
            range.limit = EtcdInteger(Int64(limit))
            let pairs = try await telling(keys.lowerBound) {
                try await gateway.ask("/v3/kv/range", range, as: EtcdRangeAnswer.self).kvs ?? []
            }
            entries += try pairs.map { pair in try telling(pair.name) { try pair.decoded(AuditEntry.self) } }
            // A transaction creates one line, so that no two have the same revision.
            guard pairs.count == limit, let last = pairs.last, last.createRevision.value > 1 else { break }
            range.maxCreateRevision = EtcdInteger(last.createRevision.value - 1)
        }
        return entries
    }

    /// What is stored, with all that a transaction compares.
    func reading(_ capability: String) async throws -> EtcdReading {
        let keys = keys(capability)
        return try await telling(keys.state) {
            let known = lastReadings.withLock { $0[capability] }
            let question = EtcdTransaction(success: [.get(keys.state), .get(keys.kill)])
            let answer = try await gateway.ask("/v3/kv/txn", question, as: EtcdTransactionAnswer.self)
            let reading = try EtcdReading(answer, keys, capability)
            if let known { try reading.check(after: known) }
            remember(reading, for: capability)
            return reading
        }
    }

    // MARK: What the parts share

    func keys(_ capability: String) -> EtcdKeys { EtcdKeys(capability, prefix: gateway.configuration.prefix) }

    /// What was read or written last, where that is what the change was made from.
    func lastReading(matching stored: StoredUpgrade) -> EtcdReading? {
        lastReadings.withLock { $0[stored.state.capability] }.flatMap { $0.isBasis(of: stored) ? $0 : nil }
    }

    func remember(_ reading: EtcdReading, for capability: String) {
        lastReadings.withLock { all in
            if let last = all[capability], last.clusterRevision > reading.clusterRevision { return }
            all[capability] = reading
        }
    }

    func telling<Value>(_ key: String, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw Self.told(error, of: key) }
    }

    func telling<Value>(_ key: String, _ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw Self.told(error, of: key) }
    }

    private static func told(_ error: any Error, of key: String) -> any Error {
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
