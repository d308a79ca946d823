#if Sandbox
import Foundation
import SanctuaryDomain

/// V2's unsent messages, for V1 to send: those of its user, and of earlier users.
struct SuccessorOutbox: Sendable {
    private static let names = (
        own: "menagerie.outbox", v2: "com.menagerie.outbox.v2.json", kept: "sanctuary.unsent.json"
    )

    private let files: StoredFiles
    private let now: @Sendable () -> Instant

    /// - Parameter now: the wall clock, with which the messages are stamped: V2 keeps no times of them.
    init(directory: String, now: @escaping @Sendable () -> Instant) {
        files = StoredFiles(directory: directory)
        self.now = now
    }

    /// Hands V1 the messages that V2 has not tried to send; on an error everything stays in place. If the process is
    /// killed midway, the next call completes it.
    ///
    /// - Returns: the keys of the messages that stay with V2: they were in flight, and it is unknown whether they
    ///   arrived. V2 can send them again under the same key; V1 has no such keys.
    func handOver() throws(SanctuaryError) -> [String] {
        var entries: [Entry] = try files.json(Self.names.v2) ?? []
        // Without this file, the messages' user is unknown.
        guard var kept: Kept = try files.json(Self.names.kept) else { return [] }
        let tried = Set(kept.tried ?? [])
        var coming: [Unsent] = []
        func divide(_ entries: inout [Entry], of user: String) {
            coming += entries.filter { !tried.contains($0.localId) }.map {
                Unsent(id: $0.localId, userID: user, text: $0.text, sentAt: Date(now()))
            }
            entries.removeAll { !tried.contains($0.localId) }
        }
        if let owner = kept.owner { divide(&entries, of: owner) }
        for user in kept.others.keys.sorted() { divide(&kept.others[user, default: []], of: user) }
        kept.others = kept.others.filter { !$0.value.isEmpty }
        let staying = (entries + kept.others.values.joined()).map(\.localId).filter(tried.contains)
        guard !coming.isEmpty else { return staying }
        let own = try own()
        let known = Set(own.map(\.id))
        try files.put(propertyList: own + coming.filter { !known.contains($0.id) }, Self.names.own)
        try files.put(json: entries.isEmpty ? nil : entries, Self.names.v2)
        try files.put(json: kept, Self.names.kept)
        return staying
    }

    /// Whether a message is in V1's outbox. The SDK shows only those of the signed-in user, and none if it cannot read
    /// them.
    func keeps(_ key: String) throws(SanctuaryError) -> Bool { try own().contains { $0.id == key } }

    private func own() throws(SanctuaryError) -> [Unsent] { try files.propertyList(Self.names.own) ?? [] }

    /// Removes a message from V1's outbox, for which the SDK has no call.
    func drop(_ key: String) throws(SanctuaryError) {
        let own = try own()
        let left = own.filter { $0.id != key }
        try files.put(propertyList: left.isEmpty ? nil : left, Self.names.own)
    }

    private struct Entry: Codable {
        var localId: String
        var text: String
    }

    private struct Kept: Codable {
        var owner: String?
        var others: [String: [Entry]]
        /// Nil if no message was ever tried.
        var tried: [String]?
    }

    private struct Unsent: Codable {
        var id: String
        var userID: String
        var text: String
        var sentAt: Date
    }
}
#endif
