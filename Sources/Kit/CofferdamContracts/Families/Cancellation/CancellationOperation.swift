/// The calls of a port that its vendor can keep waiting: what the rules CANC-01 to CANC-09 need to know.
public struct CancellationOperation<Subject: Sendable>: RuleFamily {
    /// Every call that the vendor can keep waiting; each is held against each rule that applies to it.
    let calls: [ProbedCall<Subject>]
    /// The operations that the rules cannot be held against.
    let exempt: [ExemptOperation]
    /// The ``calls`` that share one search.
    let searches: [Search]
    /// Sets the stage, on which every call succeeds.
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    /// Closes the subject for good.
    let close: @Sendable (Subject) async -> Void
    /// Whether the port says by this error that the subject is closed.
    let isClosed: @Sendable (any Error) -> Bool
    /// Whether an error is one that the port promises, and not the vendor's or the language's.
    let isPortError: @Sendable (any Error) -> Bool
    /// Makes the vendor treat the callback of the next call so, or again as it should (nil). Not needed without ``oddCallbacks``.
    let setCallbackQuirk: (@Sendable (Subject, CallbackQuirk?) async throws -> Void)?
    /// Lets the time of the call that goes on run out, by the subject's clock.
    let outlast: @Sendable (Subject) async throws -> Void
    /// A harness whose vendor calls back, and can be told to do so oddly.
    let oddCallbacks: HarnessCapability

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

    /// A long-running call that all who make it at once may share.
    public struct Search: Sendable {
        let call: ProbedCall<Subject>
        /// What giving it up must not change, as it is now.
        let state: @Sendable (Subject) async throws -> any Sendable
        /// Takes back the faults that have not happened yet, and answers the calls that are held.
        let clearFaults: @Sendable (Subject) async throws -> Void
        /// Changes that state, as a careless adapter would.
        let undo: @Sendable (Subject) async throws -> Void

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
