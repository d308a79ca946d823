/// Runs a mutant in its own process, so that a crash becomes an outcome instead of ending the run.
///
/// The kit's tool makes one where there are child processes; elsewhere there is none.
public struct MutantIsolation: Sendable {
    /// Runs one mutant in another process, for at most `limit`.
    package typealias RunMutant =
        @Sendable (
            _ mutant: MutantID, _ limit: Duration
        ) async throws -> MutationRow

    let scope: IsolationScope
    let run: RunMutant

    /// Isolates the mutants in a scope.
    ///
    /// - Parameter run: runs the mutant in another process, whose runner is a ``MutationPlace/child``, for at most
    ///   `limit`; returns the mutant's row, or throws `ProcessEnded` or `ProcessOverdue`.
    package init(_ scope: IsolationScope = .whatMayTrap, run: @escaping RunMutant) {
        self.scope = scope
        self.run = run
    }

    func covers(mayTrap: Bool) -> Bool { scope == .everything || mayTrap }
}

/// The process in which mutants run.
public enum MutationPlace: Sendable, Hashable {
    case parent
    /// A process that the parent has started, after it has seen the clean adapter pass; a trap may end it.
    case child
}
