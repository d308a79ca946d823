package import Cofferdam  // sides

/// What a breaker did in an epoch.
package struct BreakerHistory: Sendable, Hashable, Codable {
    /// How often the breaker opened.
    package var openings: Int
    /// The longest time that the breaker was open, in whole seconds.
    package var longestSeconds: Int
    /// Whether the breaker is open now.
    package var isOpen: Bool
    /// The number of trials that counted as failed because they had not ended in time, and have not ended since; nil for
    /// none.
    package var hangingTrials: Int?

    /// Creates a value from its parts.
    package init(openings: Int = 0, longestSeconds: Int = 0, isOpen: Bool = false, hangingTrials: Int? = nil) {
        self.openings = openings
        self.longestSeconds = longestSeconds
        self.isOpen = isOpen
        self.hangingTrials = hangingTrials
    }
}

/// A breaker that opened in an epoch.
package struct BreakerOpening: Sendable, Hashable {
    package enum Progress: Sendable, Hashable {
        /// The breaker refuses calls, or lets only trial calls through.
        case open
        /// The breaker lets all calls through again.
        case over
    }

    package var side: Side
    package var operation: String
    package var progress: Progress

    package init(side: Side, operation: String, progress: Progress) {
        (self.side, self.operation, self.progress) = (side, operation, progress)
    }
}
