/// The calls of a port that have a deadline on an injected clock: what the rules TIME-01 to TIME-08 need to know.
public struct TimeOperation<Subject: Sendable>: RuleFamily {
    /// Every call that has a deadline, and that the vendor can hold, in the middle of the answer too; each is held against
    /// each rule that applies to it.
    package let calls: [ProbedCall<Subject>]
    /// The operations that the rules cannot be held against.
    let exempt: [ExemptOperation]
    /// Nil without ``sessionRefresh``.
    let refresh: Refresh?
    /// The clock that the subject holds its deadlines against. A harness whose subject has none throws ``UnmetRequirements``.
    let clock: @Sendable (Subject) throws -> AdjustableClock
    /// How long a call may take, refresh, waiting and retries included.
    let deadline: @Sendable (Subject) -> Duration
    /// How long nothing may come of an answer that has begun; shorter than ``deadline`` by a fifth at least. Nil: the port
    /// has no such time, or one that cannot be seen above the vendor's SDK, and the deadline bounds such a call alone.
    let idleLimit: (@Sendable (Subject) -> Duration)?
    /// How long the port waits before it repeats a reading call, where that may help: before the second attempt, before the
    /// third … Empty: it never repeats.
    let pauses: [ClosedRange<Duration>]
    /// How often an attempt may reach the vendor while its connection is lost each time, where a repetition is harmless; at
    /// least 1.
    let attempts: Int
    /// Sets the stage, on which every call succeeds.
    package let prepare: @Sendable (Subject) async throws -> Void
    package let held: HeldCalls<Subject>
    /// Whether the port says by this error that the time was up.
    package let isTimeout: @Sendable (any Error) -> Bool
    /// Whether the port says by this error that the call may have been done, and may not: what a call that changes something
    /// must say when its time is up. Nil: it says that its time was up, as one that reads.
    let isOutcomeUnknown: (@Sendable (any Error) -> Bool)?
    /// When to ask again, as the port's error tells it.
    let retryAfter: @Sendable (any Error) -> Duration?
    /// What an adapter declares whose access tokens expire and are refreshed.
    let sessionRefresh: CapabilityTag

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

    /// The refresh of an access token in the course of a call.
    public struct Refresh: Sendable {
        /// The names of the calls that need the token.
        let calls: Set<String>
        /// Every access token has expired, and the next refresh is held.
        let expireAndHold: @Sendable (Subject) async throws -> Void
        /// Returns once a refresh has arrived.
        let waitForArrival: @Sendable (Subject) async throws -> Void

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
