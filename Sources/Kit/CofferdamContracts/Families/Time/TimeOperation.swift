/// The calls of a port that have a deadline on an injected clock: what the rules TIME-01 to TIME-06 need to know.
public struct TimeOperation<Subject: Sendable>: Sendable {
    /// A reading call that the vendor can hold in the middle of the answer too; the mutants decorate it.
    public let call: ProbedCall<Subject>
    /// Nil without ``sessionRefresh``.
    public let refresh: Refresh?
    /// Calls that are never repeated for an error that cannot be overcome by repeating, nor before the vendor wants to be
    /// asked again.
    public let others: [ProbedCall<Subject>]
    /// The clock that the subject holds its deadlines against. A stand whose subject has none throws ``UnmetDemands``.
    public let clock: @Sendable (Subject) throws -> AdjustableClock
    /// How long a call may take, refresh, waiting and retries included.
    public let deadline: @Sendable (Subject) -> Duration
    /// How long nothing may come of an answer that has begun; shorter than ``deadline`` by a fifth at least. Nil: the port
    /// has no such time, or one that nobody above the vendor's SDK can see, and the deadline bounds such a call alone.
    public let idleLimit: (@Sendable (Subject) -> Duration)?
    /// How long the port waits before it repeats a reading call, where that may help: before the second attempt, before the
    /// third … Empty: it never repeats.
    public let pauses: [ClosedRange<Duration>]
    /// Sets the stage, on which every call succeeds.
    public let prepare: @Sendable (Subject) async throws -> Void
    public let held: HeldCalls<Subject>
    /// Whether the port says by this error that the time was up.
    public let isTimeout: @Sendable (any Error) -> Bool
    /// When to ask again, as the port's error tells it.
    public let retryAfter: @Sendable (any Error) -> Duration?
    /// What an adapter declares whose access tokens expire and are refreshed.
    public let sessionRefresh: CapabilityTag

    public init(
        call: ProbedCall<Subject>,
        refresh: Refresh? = nil,
        others: [ProbedCall<Subject>] = [],
        clock: @escaping @Sendable (Subject) throws -> AdjustableClock,
        deadline: @escaping @Sendable (Subject) -> Duration,
        idleLimit: (@Sendable (Subject) -> Duration)? = nil,
        pauses: [ClosedRange<Duration>] = [],
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        held: HeldCalls<Subject>,
        isTimeout: @escaping @Sendable (any Error) -> Bool,
        retryAfter: @escaping @Sendable (any Error) -> Duration?,
        sessionRefresh: CapabilityTag = "sessionRefresh"
    ) {
        self.call = call
        self.refresh = refresh
        self.others = others
        self.clock = clock
        self.deadline = deadline
        self.idleLimit = idleLimit
        self.pauses = pauses
        self.prepare = prepare
        self.held = held
        self.isTimeout = isTimeout
        self.retryAfter = retryAfter
        self.sessionRefresh = sessionRefresh
    }

    /// The refresh of an access token in the course of a call.
    public struct Refresh: Sendable {
        /// A reading call that needs the token.
        public let call: ProbedCall<Subject>
        /// Every access token has expired, and the next refresh is held.
        public let expireAndHold: @Sendable (Subject) async throws -> Void
        /// Returns once a refresh has arrived.
        public let waitForArrival: @Sendable (Subject) async throws -> Void

        public init(
            call: ProbedCall<Subject>,
            expireAndHold: @escaping @Sendable (Subject) async throws -> Void,
            waitForArrival: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.call = call
            self.expireAndHold = expireAndHold
            self.waitForArrival = waitForArrival
        }
    }
}
