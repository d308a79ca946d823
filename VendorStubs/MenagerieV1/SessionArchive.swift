#if Sandbox
import Foundation

/// The session on disk: a property list since SDK 1.9, a keyed archive before. Both are read, the newer is written.
struct SessionArchive {
    private let file: StateFile

    init(directory: String) { file = StateFile("session", in: directory) }

    /// Returns the session; nil if there is none.
    func load() throws(NSError) -> MenagerieSession? {
        guard let content = try file.read() else { return nil }
        if let session = Self.session19(content) ?? Self.session10(content) { return session }
        throw .menagerie(.storage, "The stored session cannot be read.")
    }

    /// Stores the session; nil removes it.
    func save(_ session: MenagerieSession?) throws(NSError) {
        if let session {
            try file.write(propertyList: Stored(session))
        } else {
            try file.write(nil)
        }
    }

    private static func session19(_ content: Data) -> MenagerieSession? {
        // Nil means that it is in the other format, or in none.
        guard let stored = try? PropertyListDecoder().decode(Stored.self, from: content) else { return nil }
        return MenagerieSession(
            token: stored.token,
            userID: stored.userID,
            displayName: stored.displayName,
            currency: stored.currency,
            expires: stored.expires
        )
    }

    private static func session10(_ content: Data) -> MenagerieSession? {
        let classes: [AnyClass] = [NSDictionary.self, NSString.self, NSDate.self]
        // Nil means that it is in neither format.
        let archived = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: content)
        guard let fields = archived as? [String: Any], let token = fields["token"] as? String,
            let userID = fields["user"] as? String, let displayName = fields["name"] as? String,
            let currency = fields["currency"] as? String, let expires = fields["expires"] as? Date
        else { return nil }
        return MenagerieSession(
            token: token,
            userID: userID,
            displayName: displayName,
            currency: currency,
            expires: expires
        )
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
#endif
