/// The calls of a port that its vendor can keep waiting: what the rules CANC-01 to CANC-09 need to know.
public struct CancellationOperation<Subject: Sendable>: RuleFamily {
    /// Every call that the vendor can keep waiting; each is held against each rule that applies to it.
    public let calls: [ProbedCall<Subject>]
    /// The operations that the rules cannot be held against.
    public let exempt: [ExemptOperation]
    /// The ``calls`` that share one search.
    public let searches: [Search]
    /// Sets the stage, on which every call succeeds.
    public let prepare: @Sendable (Subject) async throws -> Void
    public let held: HeldCalls<Subject>
    /// Closes the subject for good.
    public let close: @Sendable (Subject) async -> Void
    /// Whether the port says by this error that the subject is closed.
    public let isClosed: @Sendable (any Error) -> Bool
    /// Whether an error is one that the port promises, and not the vendor's or the language's.
    public let isPortError: @Sendable (any Error) -> Bool
    /// Makes the vendor treat the callback of the next call so, or again as it should (nil). Not needed without ``oddCallbacks``.
    public let setCallbackQuirk: (@Sendable (Subject, CallbackQuirk?) async throws -> Void)?
    /// Lets the time of the call that goes on run out, by the subject's clock.
    public let outlast: @Sendable (Subject) async throws -> Void
    /// A harness whose vendor calls back, and can be told to do so oddly.
    public let oddCallbacks: HarnessCapability

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
        public let call: ProbedCall<Subject>
        /// What giving it up must not change, as it is now.
        public let state: @Sendable (Subject) async throws -> any Sendable
        /// Takes back the faults that have not happened yet, and answers the calls that are held.
        public let clearFaults: @Sendable (Subject) async throws -> Void
        /// Changes that state, as a careless adapter would.
        public let undo: @Sendable (Subject) async throws -> Void

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
