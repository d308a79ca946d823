/// For how long what was loaded does, and for how long a failure is not tried again.
public struct Freshness: Sendable, Hashable {
    /// From loading or writing the contents on; nil until they are replaced or invalidated.
    public var contents: Duration?
    /// From a failure on: ``Loadable/fetchIfNeeded()`` throws the error again instead of trying once more. Zero to try each
    /// time.
    public var error: Duration

    /// Creates a freshness with ages for contents and errors.
    public init(contents: Duration? = nil, error: Duration = .zero) {
        self.contents = contents
        self.error = error
    }

    /// Until the contents are replaced or invalidated; failures are tried again each time.
    public static let always = Freshness()

    /// Contents are never fresh: each request loads them unless a run is in progress.
    public static let never = Freshness(contents: .zero)

    /// Contents are fresh for that long.
    public static func `for`(_ contents: Duration, error: Duration = .zero) -> Freshness {
        Freshness(contents: contents, error: error)
    }
}
