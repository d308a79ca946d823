#if Sandbox
import Foundation

/// A user's session, as stored on the device.
public struct Session: Sendable, Hashable, Codable {
    public var accessToken: String
    public var refreshToken: String
    public var account: Account

    public init(accessToken: String, refreshToken: String, account: Account) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.account = account
    }

    /// Whether the session was created on this device without a user; the platform has granted nothing for it.
    public var isAnonymous: Bool { refreshToken.isEmpty }

    static func anonymous() -> Session {
        let id = "anonymous-" + UUID().uuidString.lowercased()
        return Session(accessToken: "", refreshToken: "", account: Account(id: id, displayName: "", currency: "EUR"))
    }
}

/// Stores the session as JSON in one file.
public struct SessionStore: Sendable {
    private let file: JSONFile<Session>

    public init(directory: String) { file = JSONFile("session", in: directory) }

    public var path: String { file.path }

    /// Reads the session; nil if there is none.
    @concurrent public func load() async throws(MenagerieError) -> Session? { try file.load() }

    @concurrent public func save(_ session: Session) async throws(MenagerieError) { try file.save(session) }

    /// Deletes the session, if there is one.
    @concurrent public func delete() async throws(MenagerieError) { try file.delete() }
}
#endif
