#if Fleet
/// Why etcd gave no usable answer. Contains neither token nor password.
struct EtcdFailure: Error {
    enum Kind {
        /// Nothing was done.
        case refused
        /// The request may have been carried out.
        case unknown
        /// The answer is from another cluster, or from one that was set back.
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

/// The messages with which etcd 3.4 rejects a missing or no longer valid token.
enum EtcdTokenRefusal {
    private static let texts = [
        "invalid auth token", "user name is empty", "revision of auth store is old", "token is not provided",
    ]

    static func matches(by message: String) -> Bool { texts.contains { message.contains($0) } }
}
#endif
