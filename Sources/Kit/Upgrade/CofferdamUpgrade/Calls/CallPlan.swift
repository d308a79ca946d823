import Cofferdam

/// The sides that one call asks, chosen once for the call and its retries.
struct CallPlan: Sendable, Hashable {
    /// The side whose answer the caller gets.
    var first: Side
    /// The side to ask if the first one fails and the failure permits it: see ``permitsFallback(after:effect:)``.
    var fallback: Side?
    /// The side to ask for comparison, off the caller's path.
    var shadow: Side?

    /// - Parameters:
    ///   - unitSide: the side of the unit.
    ///   - isSampled: whether this call is compared.
    ///   - carried: the side that issued the call's cursor or handle; a walk through pages ends on the side where it
    ///     began.
    ///   - hasWritten: whether the unit has written to the candidate.
    init(
        at stage: Stage,
        effect: Effect,
        dataOwnership: DataOwnership,
        unitSide: Side,
        isSampled: Bool,
        carried: Side? = nil,
        hasWritten: Bool = false
    ) {
        first = carried ?? unitSide
        guard effect != .exclusive, carried == nil else { return }
        // If each side has its own data, a unit writes where it reads: on the other side, it would not see its own
        // change.
        let mayReturn = dataOwnership == .shared || effect == .read && !hasWritten
        switch stage {
        case .canary, .candidateWithFallback:
            if first == .candidate, mayReturn { fallback = .legacy }
        case .legacyOnly, .aa, .shadow, .arms, .candidateShadowed, .candidateOnly: break
        }
        guard effect == .read, isSampled else { return }
        switch stage {
        case .shadow, .canary: if first == .legacy { shadow = .candidate }
        case .candidateShadowed: if first == .candidate, mayReturn { shadow = .legacy }
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateOnly: break
        }
    }

    /// Returns whether the ``fallback``, if there is one, may be tried after a failure with that meaning.
    static func permitsFallback(after meaning: FailureMeaning, effect: Effect) -> Bool {
        switch (meaning, effect) {
        case (.answer, _), (_, .exclusive): false
        case (.unsent, _), (_, .read), (_, .idempotent): true
        case (.failed, .write), (.outcomeUnknown, .write): false
        }
    }
}
