/// What an error of the port says of the side that threw it. The app's side knows its errors, and tells by a function.
///
/// A `CancellationError` is none of these: it always goes to the caller as it is.
public enum FailureMeaning: String, Sendable, Hashable, CaseIterable, Codable {
    /// The side has answered, and this is the answer: not found, not allowed, invalid. The other side is not asked.
    case answer
    /// The side failed, and the vendor has provably not been reached.
    case unsent
    /// The side failed; what it was to change is not changed, or there was nothing to change.
    case failed
    /// The side failed after something was sent, and nobody knows whether it was done.
    case outcomeUnknown
}

/// How a router reads a port's errors.
public struct ErrorClassifier: Sendable {
    /// What an error says of its side.
    public var meaning: @Sendable (any Error) -> FailureMeaning
    /// A short text that is the same for the same kind of error, whichever side threw it: a code. It is compared and shown, so
    /// it must hold nothing of the user's.
    public var kind: @Sendable (any Error) -> String

    public init(
        meaning: @escaping @Sendable (any Error) -> FailureMeaning,
        kind: @escaping @Sendable (any Error) -> String = { String(describing: type(of: $0)) }
    ) {
        self.meaning = meaning
        self.kind = kind
    }
}
