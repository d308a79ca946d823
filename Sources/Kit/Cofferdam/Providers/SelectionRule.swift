/// Which one of several candidates is chosen: a function of the candidates alone, not of their order nor of what was chosen
/// before, so that every screen chooses the same one.
public struct SelectionRule<Candidate: Sendable>: Sendable {
    private let isEligible: @Sendable (Candidate) -> Bool
    private let isBetter: @Sendable (Candidate, Candidate) -> Bool

    /// - Parameters:
    ///   - isEligible: whether a candidate may be chosen at all.
    ///   - rank: the highest wins.
    ///   - tie: among those of equal rank the lowest wins; take something unique, as the id.
    public init(
        where isEligible: @escaping @Sendable (Candidate) -> Bool = { _ in true },
        best rank: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype,
        ties tie: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype
    ) {
        self.isEligible = isEligible
        self.isBetter = { a, b in
            let (rankA, rankB) = (rank(a), rank(b))
            return rankA == rankB ? tie(a) < tie(b) : rankA > rankB
        }
    }

    /// The one with the lowest `tie` of those that are eligible.
    public init(
        where isEligible: @escaping @Sendable (Candidate) -> Bool,
        ties tie: @escaping @Sendable (Candidate) -> some Comparable & SendableMetatype
    ) {
        self.init(where: isEligible, best: { _ in 0 }, ties: tie)
    }

    /// Nil if none is eligible.
    public func choose(from candidates: some Sequence<Candidate>) -> Candidate? {
        candidates.filter(isEligible).min(by: isBetter)
    }
}
