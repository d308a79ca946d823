/// What a ``CachedStore`` cannot do. What the cache itself throws is passed on as it is.
public struct CachedStoreError: Error, Sendable, CustomStringConvertible {
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// What the cache has is no such model, or no such list: it may have been written by another version.
        public static let unreadable = Code(description: "unreadable")
        /// The model cannot be written as JSON.
        public static let unwritable = Code(description: "unwritable")
        /// The list that is to be changed is not known: neither to the store nor to the cache.
        public static let unknownList = Code(description: "unknown list")
        /// There is no such element in the list.
        public static let unknownElement = Code(description: "unknown element")
        /// The provider was asked to fetch, and was never told what.
        public static let noKey = Code(description: "no key")
    }

    public let code: Code
    /// The entry of the cache, or the model's type.
    public let subject: String
    public let cause: (any Error)?

    public init(_ code: Code, _ subject: String, cause: (any Error)? = nil) {
        self.code = code
        self.subject = subject
        self.cause = cause
    }

    public var description: String { "\(code): \(subject)" + (cause.map { " (\($0))" } ?? "") }
}
