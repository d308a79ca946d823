#if Server
/// An error that keeps a server from running.
public struct ControlPlaneError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error. The set is open: more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The code as text, as in logs and JSON.
        public var description: String { rawValue }

        /// A setting is invalid.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The tokens are invalid, or their file cannot be read.
        public static let invalidTokens = Code(rawValue: "invalidTokens")
        /// The database cannot be opened, or was not made by this kit.
        public static let database = Code(rawValue: "database")
        /// The server cannot listen on its address.
        public static let cannotListen = Code(rawValue: "cannotListen")
    }

    /// The kind of the error.
    public let code: Code
    /// What went wrong and where, for people. It contains no secret.
    let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// The message.
    public var description: String { message }
}
#endif
