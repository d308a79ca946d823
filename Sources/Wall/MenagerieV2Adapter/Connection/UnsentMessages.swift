import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// Whose the messages in the vendor's outbox are: it does not know itself, and would deliver them as anybody's who signs
/// in. Those of others are kept here until they are back.
actor UnsentMessages {
    private struct Kept: Codable {
        /// Whose the vendor's outbox is.
        var owner: String?
        var others: [String: [OutboxEntry]] = [:]
    }

    private let outbox: Outbox
    private let legacy: LegacyState
    private let url: URL

    init(_ outbox: Outbox, directory: String) {
        self.outbox = outbox
        legacy = LegacyState(directory: directory)
        url = URL(fileURLWithPath: directory + "/sanctuary.unsent.json")
    }

    /// Makes the vendor's outbox this user's. Each step may be the last one before a crash, and is repeated then.
    func hand(to user: String) async throws {
        var kept = try load()
        if let owner = kept.owner, owner != user {
            let theirs = try await outbox.entries()
            let known = Set(kept.others[owner, default: []].map(\.localId))
            kept.others[owner, default: []] += theirs.filter { !known.contains($0.localId) }
            if !theirs.isEmpty { try save(kept) }
            try await outbox.removeAll()
        }
        if kept.owner != user {
            kept.owner = user
            try save(kept)
        }
        if let mine = kept.others[user] {
            try await outbox.add(mine)
            kept.others[user] = nil
            try save(kept)
        }
        let older = try legacy.unsent(by: user)
        guard !older.isEmpty else { return }
        try await outbox.add(older)
        try legacy.forgetUnsent(by: user)
    }

    private func load() throws -> Kept {
        do {
            return try JSONDecoder().decode(Kept.self, from: Data(contentsOf: url))
        } catch CocoaError.fileReadNoSuchFile {
            return Kept()
        }
    }

    private func save(_ kept: Kept) throws {
        let directory = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try JSONEncoder().encode(kept).write(to: url, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
}
