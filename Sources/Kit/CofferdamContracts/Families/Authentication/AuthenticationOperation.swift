/// A port's session and its calls that need it: what the rules AUTH-01 to AUTH-10 need to know.
public struct AuthenticationOperation<Subject: Sendable>: Sendable {
    /// Every call that needs somebody to be signed in; each is held against each rule that applies to it.
    public let calls: [ProbedCall<Subject>]
    /// What else needs that, and cannot be told of refreshes: the first event of a stream.
    public let streams: [AnyPortCall<Subject>]
    public let session: Session
    public let vendor: Vendor
    public let held: HeldCalls<Subject>
    /// Whether the port says by this error that somebody must sign in, first or again.
    public let isAuthenticationRequired: @Sendable (any Error) -> Bool
    /// Whether the port says by this error that it is not allowed, whoever is signed in.
    public let isForbidden: @Sendable (any Error) -> Bool
    /// What an adapter declares whose access tokens expire and are refreshed.
    public let sessionRefresh: CapabilityTag

    public init(
        calls: [ProbedCall<Subject>],
        streams: [AnyPortCall<Subject>] = [],
        session: Session,
        vendor: Vendor,
        held: HeldCalls<Subject>,
        sessionRefresh: CapabilityTag = "sessionRefresh",
        isAuthenticationRequired: @escaping @Sendable (any Error) -> Bool,
        isForbidden: @escaping @Sendable (any Error) -> Bool
    ) {
        self.calls = calls
        self.streams = streams
        self.session = session
        self.vendor = vendor
        self.held = held
        self.sessionRefresh = sessionRefresh
        self.isAuthenticationRequired = isAuthenticationRequired
        self.isForbidden = isForbidden
    }

    /// The port's side.
    public struct Session: Sendable {
        public let signIn: @Sendable (Subject) async throws -> Void
        /// As a known user, with a wrong password.
        public let signInWrongly: @Sendable (Subject) async throws -> Void
        public let signOut: @Sendable (Subject) async throws -> Void
        public let isSignedIn: @Sendable (Subject) async throws -> Bool

        public init(
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            signInWrongly: @escaping @Sendable (Subject) async throws -> Void,
            signOut: @escaping @Sendable (Subject) async throws -> Void,
            isSignedIn: @escaping @Sendable (Subject) async throws -> Bool
        ) {
            self.signIn = signIn
            self.signInWrongly = signInWrongly
            self.signOut = signOut
            self.isSignedIn = isSignedIn
        }
    }

    /// The vendor's side.
    public struct Vendor: Sendable {
        /// Back to the first day: data, counters and faults.
        public let reset: @Sendable (Subject) async throws -> Void
        /// Every access token given so far has expired; they can be refreshed.
        public let expire: @Sendable (Subject) async throws -> Void
        /// Every session has ended: neither access nor refresh tokens given so far are worth anything.
        public let revoke: @Sendable (Subject) async throws -> Void
        /// How many refreshes have arrived.
        public let refreshes: @Sendable (Subject) async throws -> Int
        /// The next so many refreshes are answered so.
        public let injectOnRefresh: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void

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
