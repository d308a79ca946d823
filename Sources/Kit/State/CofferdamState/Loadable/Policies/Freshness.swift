import Cofferdam

/// How long loaded contents are fresh, and how long a failure is not retried.
public struct Freshness: Sendable, Hashable {
    /// How long contents are fresh after loading or writing; if nil, until they are replaced or invalidated.
    public var contents: Duration?
    /// How long after a failure ``Loadable/fetchIfNeeded()`` throws the error again instead of loading. Zero to load each
    /// time.
    public var error: Duration

    /// Creates a freshness with ages for contents and errors.
    public init(contents: Duration? = nil, error: Duration = .zero) {
        self.contents = contents
        self.error = error
    }

    /// Contents are fresh until they are replaced or invalidated; failures are retried each time.
    public static let always = Freshness()

    /// Contents are never fresh: each request loads them unless a run is in progress.
    public static let never = Freshness(contents: .zero)

    /// Contents are fresh for that long.
    public static func `for`(_ contents: Duration, error: Duration = .zero) -> Freshness {
        Freshness(contents: contents, error: error)
    }
}
