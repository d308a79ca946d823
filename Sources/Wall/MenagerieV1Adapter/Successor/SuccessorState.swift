import Foundation
import SanctuaryDomain

/// What the vendor's V2 has left in the directory, on the way back to V1.
struct SuccessorState: Sendable {
    private let directory: String

    init(directory: String) { self.directory = directory }

    /// Gives V1 what is its own, before it looks: the session that was aside when V2's start was killed, and what V2 could
    /// not send. What cannot be read stays where it is.
    func handBack() throws {
        let (archive, aside) = (path("menagerie.session"), path("sanctuary.session.aside"))
        if FileManager.default.fileExists(atPath: aside), !FileManager.default.fileExists(atPath: archive) {
            try FileManager.default.moveItem(atPath: aside, toPath: archive)
        }
        try handBackUnsent()
    }

    private func handBackUnsent() throws {
        guard let entries: [Entry] = json("com.menagerie.outbox.v2.json"),
            let owner = (json("sanctuary.unsent.json") as Kept?)?.owner
        else { return }
        let file = path("menagerie.outbox")
        var unsent: [Unsent] = []
        if FileManager.default.fileExists(atPath: file) {
            unsent = try PropertyListDecoder().decode([Unsent].self, from: Data(contentsOf: url(file)))
        }
        let known = Set(unsent.map(\.id))
        unsent += entries.filter { !known.contains($0.localId) }.map {
            Unsent(id: $0.localId, userID: owner, text: $0.text, sentAt: Date())
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        try encoder.encode(unsent).write(to: url(file), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        try FileManager.default.removeItem(atPath: path("com.menagerie.outbox.v2.json"))
    }

    /// Removes V2's session, unless it is this user's: the next way to V2 would bring it back.
    func forgetSession(unlessOf user: String?) throws(SanctuaryError) {
        let file = path("com.menagerie.session.v2.json")
        guard FileManager.default.fileExists(atPath: file) else { return }
        if let user, (json("com.menagerie.session.v2.json") as Session?)?.account.id == user { return }
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw SanctuaryError(.unknown, "the session of V2 cannot be removed", subject: file)
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

    private func json<Value: Decodable>(_ name: String) -> Value? {
        // Nil: not there, or not readable.
        guard let content = try? Data(contentsOf: url(path(name))) else { return nil }
        return try? JSONDecoder().decode(Value.self, from: content)
    }

    private struct Entry: Decodable {
        var localId: String
        var text: String
    }

    private struct Kept: Decodable { var owner: String? }

    private struct Session: Decodable {
        struct Account: Decodable { var id: String }

        var account: Account
    }

    private struct Unsent: Codable {
        var id: String
        var userID: String
        var text: String
        var sentAt: Date
    }
}
