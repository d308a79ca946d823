/// Runs a mutant in its own process, so that a crash becomes an outcome instead of ending the run.
public struct MutantIsolation: Sendable {
    /// Runs one mutant in another process, for at most `limit`.
    public typealias RunMutant =
        @Sendable (
            _ mutant: MutantID, _ limit: Duration
        ) async throws -> MutationRow

    let scope: IsolationScope
    let run: RunMutant

    /// - Parameter run: runs that mutant in another process, whose runner is a
    ///   ``MutationPlace/child``, for at most `limit`; returns the row that came of it, throws ``ProcessEnded`` or
    ///   ``ProcessOverdue``.
    public init(_ scope: IsolationScope = .whatMayTrap, run: @escaping RunMutant) {
        self.scope = scope
        self.run = run
    }

    func covers(mayTrap: Bool) -> Bool { scope == .everything || mayTrap }
}

/// The process in which mutants run.
public enum MutationPlace: Sendable, Hashable {
    case parent
    /// One that the parent has started, who has seen that the clean adapter passes: a trap may end it.
    case child
}
