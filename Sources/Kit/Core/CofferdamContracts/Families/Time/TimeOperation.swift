/// The calls of a port that have a deadline on an injected clock, described for the rules TIME-01 to TIME-08.
public struct TimeOperation<Subject: Sendable>: RuleFamily {
    /// Every call that has a deadline and that the vendor can hold, also in the middle of the answer; each is checked
    /// by each rule that applies to it.
    package let calls: [ProbedCall<Subject>]
    let exempt: [ExemptOperation]
    let refresh: Refresh?
    let clock: @Sendable (Subject) throws -> AdjustableClock
    let deadline: @Sendable (Subject) -> Duration
    let idleLimit: (@Sendable (Subject) -> Duration)?
    let pauses: [ClosedRange<Duration>]
    let attempts: Int
    /// Prepares the vendor so that every call succeeds.
    package let prepare: @Sendable (Subject) async throws -> Void
    package let held: HeldCalls<Subject>
    /// Whether the port's error says that the time was up.
    package let isTimeout: @Sendable (any Error) -> Bool
    let isOutcomeUnknown: (@Sendable (any Error) -> Bool)?
    let retryAfter: @Sendable (any Error) -> Duration?
    let sessionRefresh: CapabilityTag

    /// Describes how a port's calls keep their deadlines.
    ///
    /// - Parameters:
    ///   - calls: every call that has a deadline and that the vendor can hold, also in the middle of the answer; each
    ///     is checked by each rule that applies to it.
    ///   - exempt: the operations that the rules cannot check.
    ///   - refresh: the refresh of access tokens; nil without `sessionRefresh`.
    ///   - clock: the clock that the subject measures its deadlines on. A harness whose subject has none throws
    ///     ``UnmetRequirements``.
    ///   - deadline: how long a call may take, including refresh, waiting and retries.
    ///   - idleLimit: how long an answer that has begun may pause; at least a fifth shorter than `deadline`. Nil if
    ///     the port has no such limit, or none that shows above the vendor's SDK; the deadline alone then bounds the
    ///     call.
    ///   - pauses: how long the port waits before it repeats a reading call: before the second attempt, the third,
    ///     and so on. Empty if it never repeats.
    ///   - attempts: how often a call whose connection is lost each time may reach the vendor, if repeating it is
    ///     harmless; at least 1.
    ///   - prepare: prepares the vendor so that every call succeeds.
    ///   - isTimeout: whether the port's error says that the time was up.
    ///   - isOutcomeUnknown: whether the port's error says that the call may or may not have taken effect, as a call
    ///     that changes something must say when its time is up. Nil if it says that its time was up, like a call that
    ///     reads.
    ///   - retryAfter: how long to wait before a retry, as the port's error says; nil if it does not.
    ///   - sessionRefresh: the capability of adapters whose access tokens expire and are refreshed.
    public init(
        calls: [ProbedCall<Subject>],
        exempt: [ExemptOperation] = [],
        refresh: Refresh? = nil,
        clock: @escaping @Sendable (Subject) throws -> AdjustableClock,
        deadline: @escaping @Sendable (Subject) -> Duration,
        idleLimit: (@Sendable (Subject) -> Duration)? = nil,
        pauses: [ClosedRange<Duration>] = [],
        attempts: Int = 4,
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        held: HeldCalls<Subject>,
        isTimeout: @escaping @Sendable (any Error) -> Bool,
        isOutcomeUnknown: (@Sendable (any Error) -> Bool)? = nil,
        retryAfter: @escaping @Sendable (any Error) -> Duration?,
        sessionRefresh: CapabilityTag = "sessionRefresh"
    ) {
        self.calls = calls
        self.exempt = exempt
        self.refresh = refresh
        self.clock = clock
        self.deadline = deadline
        self.idleLimit = idleLimit
        self.pauses = pauses
        self.attempts = max(1, attempts)
        self.prepare = prepare
        self.held = held
        self.isTimeout = isTimeout
        self.isOutcomeUnknown = isOutcomeUnknown
        self.retryAfter = retryAfter
        self.sessionRefresh = sessionRefresh
    }

    /// The refresh of an access token within a call.
    public struct Refresh: Sendable {
        let calls: Set<String>
        let expireAndHold: @Sendable (Subject) async throws -> Void
        let waitForArrival: @Sendable (Subject) async throws -> Void

        /// Describes the refresh.
        ///
        /// - Parameters:
        ///   - calls: the names of the calls that need the token.
        ///   - expireAndHold: expires every access token, and holds the next refresh.
        ///   - waitForArrival: returns once a refresh has arrived.
        public init(
            calls: Set<String>,
            expireAndHold: @escaping @Sendable (Subject) async throws -> Void,
            waitForArrival: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.calls = calls
            self.expireAndHold = expireAndHold
            self.waitForArrival = waitForArrival
        }
    }
}
