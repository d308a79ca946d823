/// A port's session and its calls that need it: what the rules AUTH-01 to AUTH-13 need to know.
public struct AuthenticationOperation<Subject: Sendable>: RuleFamily {
    /// Every call that needs a signed-in user; each is held against each rule that applies to it.
    let calls: [ProbedCall<Subject>]
    /// The streams that need that.
    let streams: [UserStream<Subject>]
    /// Where calls wait beside the vendor's answer and the refresh, and their user may go meanwhile.
    let detours: [Detour]
    let session: Session
    let vendor: Vendor
    let held: HeldCalls<Subject>
    /// Whether the port says by this error that a user must sign in, first or again.
    let isAuthenticationRequired: @Sendable (any Error) -> Bool
    /// Whether the port says by this error that it is not allowed to the user who is signed in.
    let isForbidden: @Sendable (any Error) -> Bool
    /// Whether the port says by this error that the call may have been done, and may not. Nil: it never does.
    let isOutcomeUnknown: (@Sendable (any Error) -> Bool)?
    /// Lets the time of the call that goes on run out, by the subject's clock. Nil: the port has no deadlines.
    let outlast: (@Sendable (Subject) async throws -> Void)?
    /// What an adapter declares whose access tokens expire and are refreshed.
    let sessionRefresh: CapabilityTag

    public init(
        calls: [ProbedCall<Subject>],
        streams: [UserStream<Subject>] = [],
        detours: [Detour] = [],
        session: Session,
        vendor: Vendor,
        held: HeldCalls<Subject>,
        sessionRefresh: CapabilityTag = "sessionRefresh",
        isAuthenticationRequired: @escaping @Sendable (any Error) -> Bool,
        isForbidden: @escaping @Sendable (any Error) -> Bool,
        isOutcomeUnknown: (@Sendable (any Error) -> Bool)? = nil,
        outlast: (@Sendable (Subject) async throws -> Void)? = nil
    ) {
        self.calls = calls
        self.streams = streams
        self.detours = detours
        self.session = session
        self.vendor = vendor
        self.held = held
        self.sessionRefresh = sessionRefresh
        self.isAuthenticationRequired = isAuthenticationRequired
        self.isForbidden = isForbidden
        self.isOutcomeUnknown = isOutcomeUnknown
        self.outlast = outlast
    }

    /// Something that some calls wait for on their way to the vendor: a stream that is opened first.
    public struct Detour: Sendable {
        /// As findings say where a call is: "waiting for a stream".
        let name: String
        /// The names of the calls that wait for it.
        let calls: Set<String>
        /// Makes it take its time, until the held calls are released; what is returned cleans up.
        let bar: @Sendable (Subject) async throws -> @Sendable () -> Void
        /// Returns once the call waits for it.
        let wait: @Sendable (Subject) async throws -> Void

        public init(
            _ name: String,
            calls: Set<String>,
            bar: @escaping @Sendable (Subject) async throws -> @Sendable () -> Void,
            wait: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.name = name
            self.calls = calls
            self.bar = bar
            self.wait = wait
        }
    }

    /// The port's side.
    public struct Session: Sendable {
        let signIn: @Sendable (Subject) async throws -> Void
        /// As a known user, with a wrong password.
        let signInWrongly: @Sendable (Subject) async throws -> Void
        let signOut: @Sendable (Subject) async throws -> Void
        let isSignedIn: @Sendable (Subject) async throws -> Bool
        /// Nil: the vendor knows one user alone, so that none can take another's place.
        let another: Another?

        public init(
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            signInWrongly: @escaping @Sendable (Subject) async throws -> Void,
            signOut: @escaping @Sendable (Subject) async throws -> Void,
            isSignedIn: @escaping @Sendable (Subject) async throws -> Bool,
            another: Another? = nil
        ) {
            self.signIn = signIn
            self.signInWrongly = signInWrongly
            self.signOut = signOut
            self.isSignedIn = isSignedIn
            self.another = another
        }
    }

    /// Another user whom the vendor knows.
    public struct Another: Sendable {
        /// As ``ProbedCall/users`` has it.
        let name: String
        let signIn: @Sendable (Subject) async throws -> Void
        /// With a wrong password.
        let signInWrongly: @Sendable (Subject) async throws -> Void

        public init(
            _ name: String,
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            signInWrongly: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.name = name
            self.signIn = signIn
            self.signInWrongly = signInWrongly
        }
    }

    /// The vendor's side.
    public struct Vendor: Sendable {
        /// Back to the first day: data, counters and faults.
        let reset: @Sendable (Subject) async throws -> Void
        /// Every access token given so far has expired; they can be refreshed.
        let expire: @Sendable (Subject) async throws -> Void
        /// Every session has ended: neither access nor refresh tokens given so far are worth anything.
        let revoke: @Sendable (Subject) async throws -> Void
        /// How many refreshes have arrived.
        let refreshes: @Sendable (Subject) async throws -> Int
        /// The next so many refreshes are answered so.
        let injectOnRefresh: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void

        public init(
            reset: @escaping @Sendable (Subject) async throws -> Void,
            expire: @escaping @Sendable (Subject) async throws -> Void,
            revoke: @escaping @Sendable (Subject) async throws -> Void,
            refreshes: @escaping @Sendable (Subject) async throws -> Int,
            injectOnRefresh: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
        ) {
            self.reset = reset
            self.expire = expire
            self.revoke = revoke
            self.refreshes = refreshes
            self.injectOnRefresh = injectOnRefresh
        }
    }
}
