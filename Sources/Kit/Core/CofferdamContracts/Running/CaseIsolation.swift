/// Runs a case in a child process, so that a trap becomes an outcome instead of ending the run.
///
/// The kit's tool and its support for Swift Testing make one where there are child processes; elsewhere there is none.
public struct CaseIsolation: Sendable {
    /// Runs one case in another process, for at most `limit`.
    package typealias RunCase =
        @Sendable (
            _ id: ContractReport.Case, _ limit: Duration
        ) async throws -> ContractReport.Row

    let scope: IsolationScope
    let run: RunCase

    /// Isolates the cases in a scope.
    ///
    /// - Parameter run: runs the case in another process, for at most `limit`, and returns its row; throws
    ///   `ProcessEnded` if that process ended without a row, `ProcessOverdue` if it did not end.
    package init(_ scope: IsolationScope = .whatMayTrap, run: @escaping RunCase) {
        self.scope = scope
        self.run = run
    }

    func covers(mayTrap: Bool) -> Bool { scope == .everything || mayTrap }
}

/// Which cases run in a child process.
package enum IsolationScope: Sendable, Hashable {
    /// Cases of live adapters, which contain a vendor's code, rules that are tried without a capability that they require,
    /// and mutants that declare a crash.
    case whatMayTrap
    case everything
}

/// A case's process ended without reporting a result.
package struct ProcessEnded: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether a signal ended it, such as a trap; otherwise it exited.
    package let isCrash: Bool
    /// How it ended: "signal 5: Fatal error: …".
    package let description: String

    /// Describes the end of a process; keeps the first 500 characters of `description`.
    ///
    /// - Parameter isCrash: whether a signal ended it, such as a trap; otherwise it exited.
    package init(isCrash: Bool, _ description: String) {
        self.isCrash = isCrash
        self.description = Violation(description).detail
    }
}

/// A case's process did not end in time, and was killed.
package struct ProcessOverdue: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "the process did not end in time" }
}
