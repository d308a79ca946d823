import Cofferdam
import SanctuaryDomain

/// Which unsent messages were on their way once, so that nobody knows whether they have arrived: V1 finds out when it sends them
/// again under the same id; V2, where that id means nothing, must leave them alone. On disk before they are sent, because the
/// answer may never come.
final class TriedMessages: Sendable {
    /// Read by V2's adapter, too.
    private static let name = "sanctuary.tried.json"

    private let files: StoredFiles
    private let ledger = Mutex(AttemptLedger())

    init(directory: String) { files = StoredFiles(directory: directory) }

    /// Runs `send`, which sends these.
    ///
    /// - Throws: what `send` throws; ``SanctuaryError`` that names the file, and nothing is sent then.
    func trying<Value: Sendable>(_ ids: [String], _ send: () async throws -> Value) async throws -> Value {
        try began(ids)
        do {
            let value = try await send()
            ended(ids, .happened)
            return value
        } catch {
            ended(ids, Vendor.Effect.leavesOpen(error) ? .unknown : .refused)
            throw error
        }
    }

    private func began(_ ids: [String]) throws(SanctuaryError) {
        try ledger.withLock { ledger throws(SanctuaryError) in
            let unsent: [Unsent] = try files.propertyList("menagerie.outbox") ?? []
            let tried: [String] = try files.json(Self.name) ?? []
            let known = tried.filter { id in unsent.contains { $0.id == id } }
            let new = ids.filter { !known.contains($0) }
            if !new.isEmpty { try files.put(json: known + new, Self.name) }
            ledger.begin(ids, noted: known)
        }
    }

    private func ended(_ ids: [String], _ outcome: AttemptLedger.Outcome) {
        ledger.withLock { ledger in
            let settled = ledger.end(ids, outcome)
            guard !settled.isEmpty else { return }
            // Those that stay noted stay with V1: no more than that.
            do throws(SanctuaryError) {
                let tried: [String] = try files.json(Self.name) ?? []
                let open = tried.filter { !settled.contains($0) }
                try files.put(json: open.isEmpty ? nil : open, Self.name)
            } catch {}
        }
    }

    private struct Unsent: Decodable { var id: String }
}
