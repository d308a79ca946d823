#if Sandbox
import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// The session that the vendor's V1 keeps in the same directory.
///
/// The vendor's V2 deletes this archive: after taking it over, after a failed read, and always if it is of version 1.0.
/// So it is hidden from V2, and is still there for a way back to V1.
struct LegacyArchive: Sendable {
    private let path: String
    /// The archive's path while it is hidden from the vendor.
    private let aside: String

    init(directory: String) {
        path = directory + "/menagerie.session"
        aside = directory + "/sanctuary.session.aside"
    }

    /// Prevents two instances in one directory from taking each other's hidden archive for one left by a crash.
    private static let turnstile = AsyncMutex()

    /// Runs `body` while the archive is hidden from the vendor. If the process is killed meanwhile, the next start
    /// restores it first.
    func hidden<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await Self.turnstile.run {
            try putBack()
            if FileManager.default.fileExists(atPath: path) { try move(path, to: aside) }
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            try putBack()
            return try result.get()
        }
    }

    /// Restores the archive, unless V1 has written a newer one.
    private func putBack() throws(SanctuaryError) {
        guard FileManager.default.fileExists(atPath: aside) else { return }
        if FileManager.default.fileExists(atPath: path) { try remove(aside) } else { try move(aside, to: path) }
    }

    /// Returns the archived session once no opening hides it; nil if there is none.
    func settled() async throws -> LegacySession? {
        try await Self.turnstile.run {
            try putBack()
            return try load()
        }
    }

    /// Reads the session; nil if there is none.
    func load() throws(SanctuaryError) -> LegacySession? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let content: Data
        do {
            content = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw SanctuaryError(.unknown, "the stored session: cannot be read", subject: path)
        }
        guard let session = LegacySession(content) else {
            throw SanctuaryError(.unknown, "the stored session: unknown format", subject: path)
        }
        return session
    }

    /// Whether the session can be read and belongs to this user.
    func belongs(to user: String) -> Bool {
        // The owner of an unreadable session is unknown.
        (try? load())?.account.id == user
    }

    /// Deletes the session, if there is one.
    func delete() throws(SanctuaryError) {
        if FileManager.default.fileExists(atPath: path) { try remove(path) }
    }

    private func move(_ old: String, to new: String) throws(SanctuaryError) {
        guard rename(old, new) == 0 else { throw SanctuaryError(.unknown, "cannot be moved", subject: old) }
    }

    private func remove(_ path: String) throws(SanctuaryError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw SanctuaryError(.unknown, "cannot be removed", subject: path)
        }
    }
}

/// V1's session. Its expiry date is ignored: the device's clock may be wrong, and the server says when a token has
/// expired.
struct LegacySession: Sendable, Hashable {
    var token: String
    var account: MenagerieV2.Account

    /// Decodes a session; nil if it is in neither format.
    init?(_ content: Data) {
        // Nil means that it is in the other format.
        if let stored = try? PropertyListDecoder().decode(Stored.self, from: content) {
            token = stored.token
            account = .init(id: stored.userID, displayName: stored.displayName, currency: stored.currency)
            return
        }
        let classes: [AnyClass] = [NSDictionary.self, NSString.self, NSDate.self]
        // Nil means that it is in neither format.
        let archived = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: content)
        guard let fields = archived as? [String: Any], let token = fields["token"] as? String,
            let id = fields["user"] as? String, let displayName = fields["name"] as? String,
            let currency = fields["currency"] as? String
        else { return nil }
        self.token = token
        account = .init(id: id, displayName: displayName, currency: currency)
    }

    /// The format of version 1.9.
    private struct Stored: Decodable {
        var token: String
        var userID: String
        var displayName: String
        var currency: String
    }
}

extension MenagerieV2.Session {
    /// Creates a session from one of V1 that has not been exchanged yet and has no access token.
    init(awaitingExchange legacy: LegacySession) {
        self.init(accessToken: "", refreshToken: legacy.token, account: legacy.account)
    }

    var awaitsExchange: Bool { accessToken.isEmpty }
}
#endif
