/// The state of a breaker.
package enum BreakerState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Lets calls through and measures them.
    case closed
    /// Refuses calls for a while.
    case open
    /// Lets a few trial calls through.
    case halfOpen
}

/// How a call ended, for a breaker.
package enum BreakerOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded, failed
    /// The caller cancelled the call, which says nothing about the side.
    case cancelled
}

/// A permit for one call. Give it back once, with the outcome of the call.
package struct BreakerPermit: Sendable, Hashable {
    /// The period in which the permit was issued; a call that ends in a later period is not counted.
    let period: Int
    /// Whether the outcome counts. False for a call that was let through only because no other side could answer.
    let decides: Bool
    /// The number of the trial; nil for a call that is none.
    var trial: Int?
}
