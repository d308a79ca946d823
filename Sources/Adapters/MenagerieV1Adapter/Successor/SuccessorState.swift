#if Sandbox
import Foundation
import SanctuaryDomain

/// The session that the vendor's V2 left in the directory, on the way back to V1.
struct SuccessorState: Sendable {
    private let files: StoredFiles
    /// Whether V2 is in use in the directory now, and owns what it keeps there.
    private let answers: @Sendable () -> Bool

    init(directory: String, answers: @escaping @Sendable () -> Bool = { false }) {
        files = StoredFiles(directory: directory)
        self.answers = answers
    }

    /// Restores the V1 session that was moved aside when V2 was killed during its start, before V1 looks for it.
    func handBackSession() throws(SanctuaryError) {
        let (archive, aside) = (path("menagerie.session"), path("sanctuary.session.aside"))
        guard FileManager.default.fileExists(atPath: aside), !FileManager.default.fileExists(atPath: archive) else {
            return
        }
        guard rename(aside, archive) == 0 else { throw SanctuaryError(.unknown, "cannot be moved", subject: aside) }
    }

    /// Checks that V2's session can be read, so that no user signs in over one that becomes readable later.
    func checkSession() throws(SanctuaryError) {
        do throws(SanctuaryError) { _ = try session() } catch  where error.code == .decoding {}
    }

    /// Removes V2's session, unless it belongs to `user`: otherwise the next move to V2 would restore it. A damaged
    /// session is removed too.
    func forgetSession(unlessOwnedBy user: String?) throws(SanctuaryError) {
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

    private func path(_ name: String) -> String { files.path(name) }

    private func session() throws(SanctuaryError) -> Session? { try files.json("com.menagerie.session.v2.json") }

    private struct Session: Decodable {
        struct Account: Decodable { var id: String }

        var account: Account
    }
}
#endif
