/// A signed-in user.
public struct Account: Sendable, Hashable, Identifiable {
    /// The vendor's name for the user: "amara".
    public let id: String
    public var displayName: String
    /// The currency in which the vendor charges this user.
    public var currency: Currency

    public init(id: String, displayName: String, currency: Currency) {
        self.id = id
        self.displayName = displayName
        self.currency = currency
    }
}

/// Whether a user is signed in. `unknown` means that the SDK has not loaded its session yet, which differs from signed
/// out.
public enum AccountState: Sendable, Hashable {
    case unknown
    case signedOut
    case signedIn(Account)
}

/// A user's credentials. Their description omits the password.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "credentials of \(user)" }
    public var debugDescription: String { description }
}

extension Credentials: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
