import Cofferdam
import Foundation
import MenagerieV2
import SanctuaryDomain

/// The session that the vendor's V1 keeps in the same directory.
///
/// The vendor's V2 deletes it: after it has been taken over, after a read that failed, and whenever it is of version 1.0.
/// So V2 never gets to see it, and a way back to V1 finds it.
struct LegacyArchive: Sendable {
    private let path: String
    /// Where it is while the vendor looks.
    private let aside: String

    init(directory: String) {
        path = directory + "/menagerie.session"
        aside = directory + "/sanctuary.session.aside"
    }

    /// Two instances in one directory must not take each other's archive for one that was forgotten.
    private static let turnstile = AsyncMutex()

    /// Runs `body` while the archive is out of the vendor's sight. Killed meanwhile, the next start puts it back first.
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

    /// What V1 has written since is newer.
    private func putBack() throws(SanctuaryError) {
        guard FileManager.default.fileExists(atPath: aside) else { return }
        if FileManager.default.fileExists(atPath: path) { try remove(aside) } else { try move(aside, to: path) }
    }

    /// What is there while no opening has it out of sight; nil if there is none.
    func settled() async throws -> LegacySession? {
        try await Self.turnstile.run {
            try putBack()
            return try load()
        }
    }

    /// Nil if there is none.
    func load() throws(SanctuaryError) -> LegacySession? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let content: Data
        do {
            content = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw SanctuaryError(.unknown, "the stored session: cannot be read", subject: path)
        }
        guard let session = LegacySession(content) else {
            throw SanctuaryError(.unknown, "the stored session: of no known format", subject: path)
        }
        return session
    }

    /// Whether it is this user's, as far as it can be read.
    func isOf(_ user: String) -> Bool {
        // Unreadable, nobody can tell whose it is.
        (try? load())?.account.id == user
    }

    /// Forgets the session, if there is one.
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

/// What V1 knows of who is signed in. Its date of expiry is not looked at: the device's clock may be wrong, and the server
/// says when a token has expired.
struct LegacySession: Sendable, Hashable {
    var token: String
    var account: MenagerieV2.Account

    /// Nil if it is of neither format.
    init?(_ content: Data) {
        // Nil: then it is of the other format.
        if let stored = try? PropertyListDecoder().decode(Stored.self, from: content) {
            token = stored.token
            account = .init(id: stored.userID, displayName: stored.displayName, currency: stored.currency)
            return
        }
        let classes: [AnyClass] = [NSDictionary.self, NSString.self, NSDate.self]
        // Nil: then it is of neither.
        let archived = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: content)
        guard let fields = archived as? [String: Any], let token = fields["token"] as? String,
            let id = fields["user"] as? String, let displayName = fields["name"] as? String,
            let currency = fields["currency"] as? String
        else { return nil }
        self.token = token
        account = .init(id: id, displayName: displayName, currency: currency)
    }

    /// Of version 1.9.
    private struct Stored: Decodable {
        var token: String
        var userID: String
        var displayName: String
        var currency: String
    }
}

extension MenagerieV2.Session {
    /// A session of V1 that has not been exchanged yet: there is no access token.
    init(awaitingExchange legacy: LegacySession) {
        self.init(accessToken: "", refreshToken: legacy.token, account: legacy.account)
    }

    var awaitsExchange: Bool { accessToken.isEmpty }
}
