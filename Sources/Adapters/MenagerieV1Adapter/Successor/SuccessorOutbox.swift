import Foundation
import SanctuaryDomain

/// What V2 could not send, for V1 to send: its user's, and what those before could not.
struct SuccessorOutbox: Sendable {
    private static let names = (
        own: "menagerie.outbox", v2: "com.menagerie.outbox.v2.json", kept: "sanctuary.unsent.json"
    )

    private let files: StoredFiles

    init(directory: String) { files = StoredFiles(directory: directory) }

    /// Gives V1 what V2 has not tried to send; at an error all stays where it is. Killed in the middle, it is V1's when it is
    /// done again.
    ///
    /// - Returns: the keys of those that stay with V2: they were on their way, and nobody knows whether they have arrived. V2
    ///   can send them again under the same key, and V1 knows no such keys.
    func handOver() throws(SanctuaryError) -> [String] {
        var entries: [Entry] = try files.json(Self.names.v2) ?? []
        // Without it, nobody knows whose they are.
        guard var kept: Kept = try files.json(Self.names.kept) else { return [] }
        let tried = Set(kept.tried ?? [])
        var coming: [Unsent] = []
        func divide(_ entries: inout [Entry], of user: String) {
            coming += entries.filter { !tried.contains($0.localId) }.map {
                Unsent(id: $0.localId, userID: user, text: $0.text, sentAt: Date())
            }
            entries.removeAll { !tried.contains($0.localId) }
        }
        if let owner = kept.owner { divide(&entries, of: owner) }
        for user in kept.others.keys.sorted() { divide(&kept.others[user, default: []], of: user) }
        kept.others = kept.others.filter { !$0.value.isEmpty }
        let staying = (entries + kept.others.values.joined()).map(\.localId).filter(tried.contains)
        guard !coming.isEmpty else { return staying }
        let own: [Unsent] = try files.propertyList(Self.names.own) ?? []
        let known = Set(own.map(\.id))
        try files.put(propertyList: own + coming.filter { !known.contains($0.id) }, Self.names.own)
        try files.put(json: entries.isEmpty ? nil : entries, Self.names.v2)
        try files.put(json: kept, Self.names.kept)
        return staying
    }

    private struct Entry: Codable {
        var localId: String
        var text: String
    }

    private struct Kept: Codable {
        var owner: String?
        var others: [String: [Entry]]
        /// Nil where none was ever tried.
        var tried: [String]?
    }

    private struct Unsent: Codable {
        var id: String
        var userID: String
        var text: String
        var sentAt: Date
    }
}
