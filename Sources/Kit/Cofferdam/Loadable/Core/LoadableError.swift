/// What a loadable itself can fail of; everything else it throws is the error of what it loads by.
public struct LoadableError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Open: more may come.
    public struct Code: Sendable, Hashable {
        /// The name of the code.
        public let name: String

        /// The run was given up by ``Loadable/cancel()`` or ``Loadable/reset()``, not by the caller.
        public static let givenUp = Code(name: "givenUp")
        /// The time allowed for waiting has passed.
        public static let timedOut = Code(name: "timedOut")
        /// The loadable has no contents, and does not fetch them by itself.
        public static let notLoadable = Code(name: "notLoadable")
        /// A step of a chain did not give contents.
        public static let chainBroken = Code(name: "chainBroken")
        /// The bytes are no image of a type that is accepted.
        public static let unacceptedType = Code(name: "unacceptedType")
        /// There is no page in that direction.
        public static let noSuchPage = Code(name: "noSuchPage")
    }

    /// What kind of error it is.
    public let code: Code
    /// What went wrong, for people.
    public let message: String
    /// What it comes from.
    public let cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code's name and the message.
    public var description: String { "\(code.name): \(message)" }

    /// Compares code and message; causes cannot be compared.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.message == b.message }

    /// Hashes the code and the message, which ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}
