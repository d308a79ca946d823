/// Where etcd is, and how long it may take to answer.
public struct EtcdConfiguration: Sendable {
    /// Where its JSON gateway is: "http://127.0.0.1:2379". Tried in this order, beginning with the one that answered last.
    public var endpoints: [String]
    /// What every key begins with, for each app another one: "/apps/shop".
    public var prefix: String
    /// Nil where etcd asks for none. A client's certificate does not take their place: etcd's gateway reads no name from it.
    public var credentials: EtcdCredentials?
    /// For one request to one endpoint.
    public var timeout: Duration = .seconds(3)
    /// For how long a change whose outcome is unknown is asked after.
    public var outcomeLimit: Duration = .seconds(30)
    /// After so long without a word a watch is begun anew.
    public var watchLimit: Duration = .seconds(30)

    /// Creates a value from its parts.
    public init(endpoints: [String], prefix: String, credentials: EtcdCredentials? = nil) {
        self.endpoints = endpoints
        self.prefix = prefix
        self.credentials = credentials
    }
}

/// A user of etcd's. Its text does not hold the password.
public struct EtcdCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The name of the user.
    public var user: String
    /// The password.
    public var password: String

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
