import Foundation

/// A signed-in user's session, as it is kept on the device.
public struct Session: Sendable, Hashable, Codable {
    public var accessToken: String
    public var refreshToken: String
    public var account: Account

    public init(accessToken: String, refreshToken: String, account: Account) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.account = account
    }
}

/// Keeps the session as JSON in one file, which is replaced as a whole and readable by its owner only.
public struct SessionStore: Sendable {
    public let path: String
    private let directory: String

    public init(directory: String) {
        self.directory = directory
        path = directory + "/com.menagerie.session.v2.json"
    }

    /// Nil if there is none.
    @concurrent public func load() async throws(MenagerieError) -> Session? {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            return try JSONDecoder().decode(Session.self, from: data)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch let error as DecodingError {
            throw .storage(path: path, message: "not a session: \(error.location.message)")
        } catch {
            throw .storage(path: path, message: "cannot be read")
        }
    }

    @concurrent public func save(_ session: Session) async throws(MenagerieError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // Nothing can be moved onto a directory: an empty one goes, one that holds anything is an error below.
            _ = rmdir(path)
            try JSONEncoder().encode(session).write(to: URL(fileURLWithPath: path), options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw .storage(path: path, message: "cannot be written")
        }
    }

    /// None there, it changes nothing.
    @concurrent public func delete() async throws(MenagerieError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch CocoaError.fileNoSuchFile {
            return
        } catch {
            throw .storage(path: path, message: "cannot be deleted")
        }
    }
}
