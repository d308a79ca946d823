extension SingleGate {
    /// The chances of each ending, which add up to 1.
    public struct Chances: Sendable, Hashable, Codable {
        public var promoted = 0.0
        public var rolledBack = 0.0
        public var undecided = 0.0
    }

    /// The chances at a true rate, exactly: the distribution of the failures is carried on from verdict to verdict, and
    /// what is promoted or rolled back leaves it. No sampling, only the rounding of about horizon × failures additions.
    public func chances(rate: Double) -> Chances {
        var chances = Chances()
        /// Element k: the chance to have k failures by now, and to be still undecided.
        var undecided = [1.0]
        for total in 1...horizon {
            undecided.append(0)
            for failures in stride(from: undecided.count - 1, to: 0, by: -1) {
                undecided[failures] = undecided[failures] * (1 - rate) + undecided[failures - 1] * rate
            }
            undecided[0] *= 1 - rate
            // The more failures, the sooner it is rolled back: those with the most leave first.
            while let last = undecided.last, isRolledBack(FailureCounts(undecided.count - 1, of: total)) {
                chances.rolledBack += last
                undecided.removeLast()
            }
            for failures in undecided.indices where undecided[failures] > 0 {
                guard promotedFrom.indices.contains(failures), promotedFrom[failures] <= total else { break }
                chances.promoted += undecided[failures]
                undecided[failures] = 0
            }
            if undecided.isEmpty { break }
        }
        chances.undecided = undecided.reduce(0, +)
        return chances
    }
}
