#if Sandbox
public import Foundation  // the API uses dates and NSError
import HTTPTypes

/// The session on this device.
public final class MenagerieSession {
    /// The token, which is valid for a year. Pass it to each call that needs one.
    public let token: String
    public let userID: String
    public let displayName: String
    /// The currency in which the user is charged, in ISO 4217.
    public let currency: String
    public let expires: Date

    init(token: String, userID: String, displayName: String, currency: String, expires: Date) {
        self.token = token
        self.userID = userID
        self.displayName = displayName
        self.currency = currency
        self.expires = expires
    }
}

extension Menagerie {
    /// Signs in, and stores the session on this device.
    @discardableResult
    public func signIn(
        user: String,
        password: String,
        completion: @escaping (MenagerieSession?, NSError?) -> Void
    ) -> MenagerieRequest {
        var body = ["user": user, "password": password]
        body["device_id"] = deviceID
        return perform { [body] transport throws(NSError) -> MenagerieSession in
            let json: SessionJSON = try await transport.json(.post, "/v1/session", body: body)
            let session = MenagerieSession(
                token: json.token,
                userID: json.user_id,
                displayName: json.display_name,
                currency: json.currency,
                expires: Date(timeIntervalSinceNow: 365 * 24 * 60 * 60)
            )
            try Task.throwIfCancelled()
            try self.keep(session)
            return session
        } completion: {
            completion($0, $1)
        }
    }

    /// Deletes the session on this device.
    public func signOut() throws(NSError) { try keep(nil) }
}

extension Task where Success == Never, Failure == Never {
    static func throwIfCancelled() throws(NSError) {
        if isCancelled { throw .menagerie(.cancelled, "The request was cancelled.") }
    }
}

private struct SessionJSON: Decodable {
    var token: String
    var user_id: String
    var display_name: String
    var currency: String
}
#endif
