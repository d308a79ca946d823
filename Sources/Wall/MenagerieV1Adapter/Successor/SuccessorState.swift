import Foundation
import SanctuaryDomain

/// What the vendor's V2 has left in the directory, on the way back to V1.
///
/// A file that is there and cannot be read, or is not what it should be, is an error that names it, and never taken for one
/// that is not there.
struct SuccessorState: Sendable {
    private let directory: String
    /// Whether V2 is at work in the directory now: then what it keeps is its own.
    private let answers: @Sendable () -> Bool

    init(directory: String, answers: @escaping @Sendable () -> Bool = { false }) {
        self.directory = directory
        self.answers = answers
    }

    /// Gives V1 the session that was aside when V2's start was killed, before it looks.
    func handBackSession() throws(SanctuaryError) {
        let (archive, aside) = (path("menagerie.session"), path("sanctuary.session.aside"))
        guard FileManager.default.fileExists(atPath: aside), !FileManager.default.fileExists(atPath: archive) else {
            return
        }
        guard rename(aside, archive) == 0 else { throw SanctuaryError(.unknown, "cannot be moved", subject: aside) }
    }

    /// Gives V1 what V2 could not send; at an error it stays where it is.
    func handBackUnsent() throws(SanctuaryError) {
        guard !answers() else { return }
        guard let entries: [Entry] = try json("com.menagerie.outbox.v2.json"),
            let owner = (try json("sanctuary.unsent.json") as Kept?)?.owner
        else { return }
        var unsent: [Unsent] = try read("menagerie.outbox") { try PropertyListDecoder().decode($0, from: $1) } ?? []
        let known = Set(unsent.map(\.id))
        unsent += entries.filter { !known.contains($0.localId) }.map {
            Unsent(id: $0.localId, userID: owner, text: $0.text, sentAt: Date())
        }
        let file = path("menagerie.outbox")
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            try encoder.encode(unsent).write(to: URL(fileURLWithPath: file), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            try FileManager.default.removeItem(atPath: path("com.menagerie.outbox.v2.json"))
        } catch {
            throw SanctuaryError(.unknown, "what V2 could not send cannot be kept", subject: file)
        }
    }

    /// Whether V2's session can be looked at: nobody signs in over one that will be readable tomorrow.
    func checkSession() throws(SanctuaryError) {
        do throws(SanctuaryError) { _ = try session() } catch  where error.code == .decoding {}
    }

    /// Removes V2's session, unless it is this user's: the next way to V2 would bring it back. A damaged one is nobody's.
    func forgetSession(unlessOf user: String?) throws(SanctuaryError) {
        guard !answers() else { return }
        let file = path("com.menagerie.session.v2.json")
        guard FileManager.default.fileExists(atPath: file) else { return }
        if let user {
            do throws(SanctuaryError) {
                if try session()?.account.id == user { return }
            } catch  where error.code == .decoding {}
        }
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw SanctuaryError(.unknown, "the session of V2 cannot be removed", subject: file)
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func session() throws(SanctuaryError) -> Session? { try json("com.menagerie.session.v2.json") }

    private func json<Value: Decodable>(_ name: String) throws(SanctuaryError) -> Value? {
        try read(name) { try JSONDecoder().decode($0, from: $1) }
    }

    /// Nil if there is none.
    ///
    /// - Throws: `unknown` if it cannot be read, `decoding` if it is damaged.
    private func read<Value: Decodable>(
        _ name: String,
        _ decode: (Value.Type, Data) throws -> Value
    ) throws(SanctuaryError) -> Value? {
        do {
            return try decode(Value.self, Data(contentsOf: URL(fileURLWithPath: path(name))))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch is DecodingError {
            throw SanctuaryError(.decoding, "what is stored is damaged", subject: path(name))
        } catch {
            throw SanctuaryError(.unknown, "what is stored cannot be read", subject: path(name))
        }
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
