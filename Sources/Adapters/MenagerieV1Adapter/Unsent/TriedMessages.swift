#if Sandbox
import Cofferdam
import SanctuaryDomain

/// A record of the unsent messages that were in flight once, so that it is unknown whether they arrived: V1 finds out
/// by sending them again under the same id; V2, for which that id has no meaning, must not send them. The record is on
/// disk before they are sent, because the answer may never arrive.
final class TriedMessages: Sendable {
    /// V2's adapter reads this file too.
    private static let name = "sanctuary.tried.json"

    private let files: StoredFiles
    private let ledger = Mutex(AttemptLedger())

    init(directory: String) { files = StoredFiles(directory: directory) }

    /// Runs `send`, which sends these messages.
    ///
    /// - Throws: the error of `send`; a ``SanctuaryError`` that names the file, in which case nothing is sent.
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
            // If this fails, the messages stay noted and remain with V1, nothing worse.
            do throws(SanctuaryError) {
                let tried: [String] = try files.json(Self.name) ?? []
                let open = tried.filter { !settled.contains($0) }
                try files.put(json: open.isEmpty ? nil : open, Self.name)
            } catch {}
        }
    }

    private struct Unsent: Decodable { var id: String }
}
#endif
