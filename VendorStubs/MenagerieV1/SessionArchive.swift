import Foundation

/// The session on disk, as SDK 1.9 writes it: a property list that only the owner may read.
struct SessionArchive {
    let path: String

    init(directory: String) { path = directory + "/menagerie.session" }

    /// Nil if there is none.
    func load() throws(NSError) -> MenagerieSession? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            let stored = try PropertyListDecoder().decode(Stored.self, from: content)
            return MenagerieSession(
                token: stored.token,
                userID: stored.userID,
                displayName: stored.displayName,
                currency: stored.currency,
                expires: stored.expires
            )
        } catch {
            throw .menagerie(.storage, "The stored session cannot be read.")
        }
    }

    /// Nil removes it.
    func save(_ session: MenagerieSession?) throws(NSError) {
        do {
            guard let session else {
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
                return
            }
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            let content = try encoder.encode(Stored(session))
            let fresh = path + ".new"
            // Nothing can be moved onto a directory: an empty one goes, one that holds anything is an error below.
            _ = rmdir(path)
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: fresh, contents: content, attributes: attributes),
                rename(fresh, path) == 0
            else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw .menagerie(.storage, "The session cannot be stored in \(path).")
        }
    }

    private struct Stored: Codable {
        var format = "1.9"
        var token: String
        var userID: String
        var displayName: String
        var currency: String
        var expires: Date

        init(_ session: MenagerieSession) {
            token = session.token
            userID = session.userID
            displayName = session.displayName
            currency = session.currency
            expires = session.expires
        }
    }
}
