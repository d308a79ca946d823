/// The calls of a port that its vendor can keep waiting, described for the rules CANC-01 to CANC-09.
public struct CancellationOperation<Subject: Sendable>: RuleFamily {
    let calls: [ProbedCall<Subject>]
    let exempt: [ExemptOperation]
    let searches: [Search]
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    let close: @Sendable (Subject) async -> Void
    let isClosed: @Sendable (any Error) -> Bool
    let isPortError: @Sendable (any Error) -> Bool
    let setCallbackQuirk: (@Sendable (Subject, CallbackQuirk?) async throws -> Void)?
    let outlast: @Sendable (Subject) async throws -> Void
    let oddCallbacks: HarnessCapability

    /// Describes how a port's calls are cancelled and closed.
    ///
    /// - Parameters:
    ///   - calls: every call that the vendor can keep waiting; each is checked by each rule that applies to it.
    ///   - exempt: the operations that the rules cannot check.
    ///   - searches: the `calls` that share one search.
    ///   - prepare: prepares the vendor so that every call succeeds.
    ///   - close: closes the subject for good.
    ///   - isClosed: whether the port's error says that the subject is closed.
    ///   - isPortError: whether an error is one that the port promises, rather than the vendor's or the language's.
    ///   - outlast: advances the subject's clock past the deadline of the call in progress.
    ///   - oddCallbacks: the capability of harnesses whose vendor calls back and can be made to do so oddly.
    ///   - setCallbackQuirk: sets how the vendor treats the callback of the next call; nil restores the regular way.
    ///     Not needed without `oddCallbacks`.
    public init(
        calls: [ProbedCall<Subject>],
        exempt: [ExemptOperation] = [],
        searches: [Search] = [],
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        held: HeldCalls<Subject>,
        close: @escaping @Sendable (Subject) async -> Void,
        isClosed: @escaping @Sendable (any Error) -> Bool,
        isPortError: @escaping @Sendable (any Error) -> Bool,
        outlast: @escaping @Sendable (Subject) async throws -> Void,
        oddCallbacks: HarnessCapability = "oddCallbacks",
        setCallbackQuirk: (@Sendable (Subject, CallbackQuirk?) async throws -> Void)? = nil
    ) {
        self.calls = calls
        self.exempt = exempt
        self.searches = searches
        self.prepare = prepare
        self.held = held
        self.close = close
        self.isClosed = isClosed
        self.isPortError = isPortError
        self.outlast = outlast
        self.oddCallbacks = oddCallbacks
        self.setCallbackQuirk = setCallbackQuirk
    }

    /// A long-running call that concurrent callers may share.
    public struct Search: Sendable {
        let call: ProbedCall<Subject>
        let state: @Sendable (Subject) async throws -> any Sendable
        let clearFaults: @Sendable (Subject) async throws -> Void
        let undo: @Sendable (Subject) async throws -> Void

        /// Describes a call that concurrent callers may share.
        ///
        /// - Parameters:
        ///   - state: reads the state that giving up the search must not change.
        ///   - clearFaults: removes the faults that have not occurred yet, and answers the held calls.
        ///   - undo: changes that state as a careless adapter would.
        public init(
            _ call: ProbedCall<Subject>,
            state: @escaping @Sendable (Subject) async throws -> any Sendable,
            clearFaults: @escaping @Sendable (Subject) async throws -> Void,
            undo: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.call = call
            self.state = state
            self.clearFaults = clearFaults
            self.undo = undo
        }
    }
}
