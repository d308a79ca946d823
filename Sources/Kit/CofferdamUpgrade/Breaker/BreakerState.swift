/// What a breaker does with a call.
public enum BreakerState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Lets calls through, and looks at the last ones.
    case closed
    /// Refuses, for a while.
    case open
    /// Lets a few through, to see.
    case halfOpen
    /// Refuses until a person says otherwise.
    case forcedOpen
    /// Lets calls through, and looks away.
    case disabled

    /// Where one may go from here.
    public var successors: Set<BreakerState> { Self.transitions[self] ?? [] }

    /// Only what a person asks for leads to or from ``forcedOpen`` and ``disabled``.
    private static let transitions: [BreakerState: Set<BreakerState>] = [
        .closed: [.open, .forcedOpen, .disabled],
        .open: [.halfOpen, .closed, .forcedOpen, .disabled],
        .halfOpen: [.closed, .open, .forcedOpen, .disabled],
        .forcedOpen: [.closed, .disabled],
        .disabled: [.closed, .forcedOpen],
    ]
}

/// How a call ended, for a breaker.
public enum BreakerOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded, failed
    /// The caller gave up: it says nothing about the side.
    case cancelled
}

/// Leave to make one call. It is given back with how the call ended, once.
public struct BreakerPermit: Sendable, Hashable {
    /// In which period of one state it was given; what ends in a later one is not counted there.
    let period: Int
    /// False for a call that was let through only because nobody else could answer: it is measured, and decides nothing.
    let decides: Bool
}
