/// What an error of the port means for the side that threw it. The app classifies its own errors.
///
/// A `CancellationError` is none of these: the caller always gets it unchanged.
public enum FailureMeaning: String, Sendable, Hashable, CaseIterable, Codable {
    /// The error is the answer: not found, not allowed, invalid. The other side is not asked.
    case answer
    /// The side failed, and the call provably never reached the vendor.
    case unsent
    /// The side failed, and nothing was changed.
    case failed
    /// The side failed after it sent something; the change may have been made.
    case outcomeUnknown
}

/// Classifies the errors of a port.
public struct ErrorClassifier: Sendable {
    /// What an error means for its side.
    public var meaning: @Sendable (any Error) -> FailureMeaning
    /// A short code for the kind of an error, the same on both sides. It is compared and shown, so it must contain no
    /// user data.
    public var kind: @Sendable (any Error) -> String

    /// Creates a value from its parts.
    public init(
        meaning: @escaping @Sendable (any Error) -> FailureMeaning,
        kind: @escaping @Sendable (any Error) -> String = { String(describing: type(of: $0)) }
    ) {
        self.meaning = meaning
        self.kind = kind
    }
}
