import Cofferdam

/// Which sides one call asks. Chosen once for the call, retries included.
struct CallPlan: Sendable, Hashable {
    /// Whose answer the caller gets.
    var first: Side
    /// Who is asked if the first fails, as far as the failure permits: see ``permitsFallback(after:effect:)``.
    var fallback: Side?
    /// Who is asked off the caller's path, to be compared.
    var shadow: Side?

    /// - Parameters:
    ///   - unitSide: where the unit of the call is.
    ///   - isSampled: whether this call is one of those that are compared.
    ///   - carried: the side that a cursor or a handle comes from: the walk ends where it began.
    ///   - hasWritten: whether the unit has written on the candidate's side.
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
        // With data of its own on each side, what a unit changes goes where its reads go, or nowhere: on the other side it would
        // not see its own change.
        let mayReturn = dataOwnership == .shared || effect == .read && !hasWritten
        switch stage {
        case .canary, .candidateWithFallback:
            if first == .candidate, mayReturn { fallback = .legacy }
        case .legacyOnly, .shadow, .candidateShadowed, .candidateOnly: break
        }
        guard effect == .read, isSampled else { return }
        switch stage {
        case .shadow, .canary: if first == .legacy { shadow = .candidate }
        case .candidateShadowed: if first == .candidate, mayReturn { shadow = .legacy }
        case .legacyOnly, .candidateWithFallback, .candidateOnly: break
        }
    }

    /// Whether the ``fallback``, where there is one, may be tried after a failure of that meaning.
    static func permitsFallback(after meaning: FailureMeaning, effect: Effect) -> Bool {
        switch (meaning, effect) {
        case (.answer, _), (_, .exclusive): false
        case (.unsent, _), (_, .read), (_, .idempotent): true
        case (.failed, .write), (.outcomeUnknown, .write): false
        }
    }
}
