#if Fleet
/// The endpoints, keys and timeouts for etcd.
public struct EtcdConfiguration: Sendable {
    /// The addresses of etcd's JSON gateway: "http://127.0.0.1:2379". They are tried in this order, beginning with the
    /// one that last answered.
    package var endpoints: [String]
    /// The prefix of all keys, different for each app: "/apps/shop".
    package var prefix: String
    /// The user and password; nil if etcd requires none. A client certificate cannot replace them: etcd's gateway reads
    /// no user name from it.
    package var credentials: EtcdCredentials?
    /// The timeout of one request to one endpoint.
    public var timeout: Duration = .seconds(3)
    /// How long a change with an unknown outcome is retried.
    public var outcomeLimit: Duration = .seconds(30)
    /// How long a watch may be silent before it is restarted.
    public var watchLimit: Duration = .seconds(30)

    /// Creates a value from its parts.
    public init(endpoints: [String], prefix: String, credentials: EtcdCredentials? = nil) {
        self.endpoints = endpoints
        self.prefix = prefix
        self.credentials = credentials
    }
}

/// The credentials of an etcd user. Their description does not contain the password.
public struct EtcdCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The name of the user.
    var user: String
    /// The password.
    var password: String

    /// Creates a value from its parts.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The user, without the password.
    public var description: String { user }
    /// Shows the user and hides the password.
    public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
#endif
