/// Runs a case in a child process, so that a trap there is an outcome and not the end of the run.
///
/// How a process is started is the caller's: the kit's rules run on devices that have none.
public struct CaseIsolation: Sendable {
    public typealias RunCase =
        @Sendable (
            _ id: ContractReport.Case, _ limit: Duration
        ) async throws -> ContractReport.Row

    let scope: IsolationScope
    let run: RunCase

    /// - Parameter run: runs the case in another process, for at most `limit`, and returns the row that came of it; throws
    ///   ``ProcessEnded`` if that process ended without one, ``ProcessOverdue`` if it did not end.
    public init(_ scope: IsolationScope = .whatMayTrap, run: @escaping RunCase) {
        self.scope = scope
        self.run = run
    }

    func covers(mayTrap: Bool) -> Bool { scope == .everything || mayTrap }
}

/// How much is run in a child process.
public enum IsolationScope: Sendable, Hashable {
    /// Cases of live adapters, in which there is a vendor's code, rules that are tried without the capability that they need,
    /// and mutants that declare that they crash.
    case whatMayTrap
    case everything
}

/// A process of one case has ended without having said what came of it.
public struct ProcessEnded: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether a signal ended it, as a trap does; otherwise it ended by itself.
    public let isCrash: Bool
    /// How: "signal 5: Fatal error: …".
    public let description: String

    public init(isCrash: Bool, _ description: String) {
        self.isCrash = isCrash
        self.description = Violation(description).detail
    }
}

/// A process of one case has not ended in its time, and was ended.
public struct ProcessOverdue: Error, Sendable, Hashable {
    public init() {}
}
