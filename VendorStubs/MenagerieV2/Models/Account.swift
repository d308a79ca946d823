#if Sandbox
public struct Account: Sendable, Hashable, Identifiable, Codable {
    public var id: String
    public var displayName: String
    /// ISO 4217.
    public var currency: String

    public init(id: String, displayName: String, currency: String) {
        self.id = id
        self.displayName = displayName
        self.currency = currency
    }
}

/// Tokens granted by the server.
public struct TokenGrant: Sendable, Hashable, Codable {
    public var accessToken: String
    /// The refresh token, valid for one refresh.
    public var refreshToken: String
    /// The lifetime in seconds, from the answer.
    public var expiresIn: Int
    public var account: Account

    public init(accessToken: String, refreshToken: String, expiresIn: Int, account: Account) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.account = account
    }
}
#endif
