/// An error with a code of its kind. Codes are open: a later version may add one without breaking callers.
///
/// A `catch` can name a code:
///
/// ```swift
/// do {
///     try await upgrade.advance(by: "amara", reason: "V2 passes the contract")
/// } catch UpgradeRefusal.Code.needsPerson {
///     …
/// }
/// ```
public protocol CodedError: Error, CustomStringConvertible {
    associatedtype Code: ErrorCode

    /// What kind of error it is.
    var code: Code { get }
    /// The error that caused it; nil if there is none.
    var cause: (any Error)? { get }
}

extension CodedError {
    /// Nil: most errors have no cause.
    public var cause: (any Error)? { nil }
}

/// The code of a ``CodedError``.
public protocol ErrorCode: RawRepresentable<String>, Sendable, Hashable, CustomStringConvertible {}

extension ErrorCode {
    /// The code as text, as in logs and JSON.
    public var description: String { rawValue }
}

/// Whether the error has the code. For the patterns of `catch` and `switch`.
public func ~= (code: some ErrorCode, error: any Error) -> Bool { (error as? any CodedError)?.has(code) ?? false }

extension CodedError {
    fileprivate func has<Other: ErrorCode>(_ other: Other) -> Bool { (code as? Other) == other }
}
