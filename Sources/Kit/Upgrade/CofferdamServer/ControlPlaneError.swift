#if Server
public import Cofferdam  // an error with a code

/// An error that keeps a server from running.
public struct ControlPlaneError: CodedError, Hashable {
    /// The kind of the error. The set is open: more may be added.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A setting is invalid.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// The tokens are invalid, or their file cannot be read.
        public static let invalidTokens = Code(rawValue: "invalidTokens")
        /// The database cannot be opened, or was not made by this kit.
        public static let database = Code(rawValue: "database")
        /// The server cannot listen on its address.
        public static let cannotListen = Code(rawValue: "cannotListen")
        /// The server has ended, although it was not stopped.
        public static let ended = Code(rawValue: "ended")
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
