/// Attempts at things that must not happen twice, with several attempts per id at a time. It decides when the note of
/// an attempted id may be removed: when the thing has certainly happened, or was certainly refused every time.
package struct AttemptLedger: Sendable {
    package enum Outcome: Sendable {
        case happened
        case refused
        /// It may have happened: the answer was lost, or the caller gave up.
        case unknown
    }

    private struct Attempts {
        var underWay = 0
        var hasHappened = false
        /// A current or earlier attempt may have made it happen.
        var isOpen: Bool
    }

    private var attempts: [String: Attempts] = [:]

    package init() {}

    /// Records an attempt at each id.
    ///
    /// - Parameter noted: the ids with a note, which an earlier attempt left.
    package mutating func begin(_ ids: [String], noted: some Sequence<String>) {
        let noted = Set(noted)
        for id in ids { attempts[id, default: Attempts(isOpen: noted.contains(id))].underWay += 1 }
    }

    /// Records how an attempt at each id ended.
    ///
    /// - Returns: the ids whose notes may be removed.
    package mutating func end(_ ids: [String], _ outcome: Outcome) -> [String] {
        ids.filter { id in
            guard var attempt = attempts.removeValue(forKey: id) else { return false }
            attempt.underWay -= 1
            switch outcome {
            case .happened: attempt.hasHappened = true
            case .refused: break
            case .unknown: attempt.isOpen = true
            }
            if attempt.underWay > 0 {
                attempts[id] = attempt
                return false
            }
            return attempt.hasHappened || !attempt.isOpen
        }
    }
}
