public import Cofferdam  // its errors have codes

/// An error of a loadable itself. Everything else that it throws comes from the code by which it loads.
public struct LoadableError: CodedError, Hashable {
    /// A code of an error; later versions may add more.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The run was given up by ``Loadable/cancel()`` or ``Loadable/reset()``, not by the caller.
        public static let givenUp = Code(rawValue: "givenUp")
        /// The loadable has no contents, and does not fetch them automatically.
        public static let notLoadable = Code(rawValue: "notLoadable")
        /// A step of a chain did not give contents.
        public static let chainBroken = Code(rawValue: "chainBroken")
        /// The bytes are not an image of an accepted type.
        public static let unacceptedType = Code(rawValue: "unacceptedType")
        /// There is no page in that direction.
        public static let noSuchPage = Code(rawValue: "noSuchPage")
    }

    /// What kind of error it is.
    public let code: Code
    /// What went wrong, for people.
    package let message: String
    /// The error that caused it; nil if there is none.
    public let cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code's name and the message.
    public var description: String { "\(code): \(message)" }

    /// Compares code and message; causes cannot be compared.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.message == b.message }

    /// Hashes the code and the message, which ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}
