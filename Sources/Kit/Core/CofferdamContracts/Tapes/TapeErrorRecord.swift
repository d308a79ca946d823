/// The record of an error on a tape, with its open code and everything else that the port's callers look at.
///
/// For an error that is `Codable`, the conformance is enough: `extension StoreError: TapeErrorRecord {}`.
public protocol TapeErrorRecord: Codable, Sendable {
    /// Creates the record of an error; nil for an error of another kind, which is recorded by its type's name and its
    /// text, and replayed as `TapedError`.
    init?(_ error: any Error)

    var error: any Error { get }
}

extension TapeErrorRecord where Self: Error {
    /// Records an error of this very type; returns nil for any other.
    public init?(_ error: any Error) {
        guard let error = error as? Self else { return nil }
        self = error
    }

    /// The record itself.
    public var error: any Error { self }
}

/// An error that a tape knows only by the name of its type and its text.
package struct TapedError: Error, Sendable, Hashable, CustomStringConvertible {
    let type: String
    let text: String

    /// The recorded type and text, as `StoreError: no such item`.
    package var description: String { "\(type): \(text)" }
}
