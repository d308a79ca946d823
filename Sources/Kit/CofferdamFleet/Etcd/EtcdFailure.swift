/// Why etcd gave no answer that counts. Holds neither token nor password.
struct EtcdFailure: Error {
    enum Kind {
        /// Nothing was done.
        case refused
        /// What was asked may have been done.
        case unknown
        /// Another cluster answers, or one that was set back.
        case setBack
    }

    var kind: Kind
    /// For people.
    var message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

/// The texts by which etcd 3.4 says that a token is missing or not its own any more.
enum EtcdTokenRefusal {
    private static let texts = [
        "invalid auth token", "user name is empty", "revision of auth store is old", "token is not provided",
    ]

    static func matches(by message: String) -> Bool { texts.contains { message.contains($0) } }
}
