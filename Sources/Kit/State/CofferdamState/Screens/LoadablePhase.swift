import Cofferdam

/// What a screen shows of a loadable: one of five things.
public enum LoadablePhase<Contents: Sendable>: Sendable {
    /// There is nothing to show yet.
    case nothing
    /// The first contents are being loaded, for long enough to show a spinner.
    case loading
    /// The contents.
    case contents(Contents)
    /// The contents, while they are being loaded again, for long enough to show a spinner.
    case refreshing(Contents)
    /// The last run failed; with the contents from before, if there are any.
    case failed(any Error, Contents?)

    /// Decides what to show.
    ///
    /// - Parameter showsSpinner: whether a run in progress shows. If not, as in its first moments, it looks as if it had not
    ///   begun: see ``SpinnerDelay``.
    public init(_ snapshot: LoadableSnapshot<Contents>, showsSpinner: Bool = true) {
        let contents = snapshot.contents
        if snapshot.state == .syncing, showsSpinner {
            self = contents.map { .refreshing($0) } ?? .loading
        } else if let error = snapshot.error {
            self = .failed(error, contents)
        } else {
            self = contents.map { .contents($0) } ?? .nothing
        }
    }

    /// The contents, however old; nil if there are none.
    public var contents: Contents? {
        switch self {
        case .nothing, .loading: nil
        case .contents(let contents), .refreshing(let contents): contents
        case .failed(_, let contents): contents
        }
    }
}

/// The delay before a spinner, so that a short run shows none. A pure value: it is given the time, and does not wait.
///
///     var delay = SpinnerDelay<ContinuousClock.Instant>(.milliseconds(300))
///     delay.note(snapshot.state, at: .now)
///     let phase = LoadablePhase(snapshot, showsSpinner: delay.isOver(at: .now))
///     if let end = delay.end { … }  // decide again then
public struct SpinnerDelay<Instant: InstantProtocol<Duration>>: Sendable, Hashable {
    /// How long a run lasts before it shows.
    public let length: Duration
    /// When the run in progress shows; nil if there is none.
    public private(set) var end: Instant?

    /// Creates a delay of that length.
    public init(_ length: Duration) { self.length = length }

    /// Notes a loadable's state. Call it whenever the state changes.
    public mutating func note(_ state: LoadState, at now: Instant) {
        if state != .syncing { end = nil } else if end == nil { end = now.advanced(by: length) }
    }

    /// Whether a run is in progress and shows.
    public func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? false }
}
