/// A port's session and the calls that need it, described for the rules AUTH-01 to AUTH-15.
public struct AuthenticationOperation<Subject: Sendable>: RuleFamily {
    let calls: [ProbedCall<Subject>]
    let streams: [UserStream<Subject>]
    let detours: [Detour]
    let session: Session
    let vendor: Vendor
    let held: HeldCalls<Subject>
    let isAuthenticationRequired: @Sendable (any Error) -> Bool
    let isForbidden: @Sendable (any Error) -> Bool
    let isOutcomeUnknown: (@Sendable (any Error) -> Bool)?
    let outlast: (@Sendable (Subject) async throws -> Void)?
    let sessionRefresh: CapabilityTag

    /// Describes how a port signs users in, and which of its calls need that.
    ///
    /// - Parameters:
    ///   - calls: every call that needs a signed-in user; each is checked by each rule that applies to it.
    ///   - streams: the streams that need a signed-in user.
    ///   - detours: what calls wait for besides the vendor's answer and the refresh; the user may sign out in the
    ///     meantime.
    ///   - sessionRefresh: the capability of adapters whose access tokens expire and are refreshed.
    ///   - isAuthenticationRequired: whether the port's error says that a user must sign in, or sign in again.
    ///   - isForbidden: whether the port's error says that the signed-in user is not allowed to do this.
    ///   - isOutcomeUnknown: whether the port's error says that the call may or may not have taken effect. Nil if no
    ///     error does.
    ///   - outlast: advances the subject's clock past the deadline of the call in progress. Nil if the port has no
    ///     deadlines.
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
        let name: String
        let calls: Set<String>
        let block: @Sendable (Subject) async throws -> @Sendable () -> Void
        let wait: @Sendable (Subject) async throws -> Void

        /// Describes one wait that some calls share.
        ///
        /// - Parameters:
        ///   - name: where a call is, in findings: "waiting for a stream".
        ///   - calls: the names of the calls that wait for it.
        ///   - block: blocks the calls until the held calls are released; returns a closure that cleans up.
        ///   - wait: returns once a call waits.
        public init(
            _ name: String,
            calls: Set<String>,
            block: @escaping @Sendable (Subject) async throws -> @Sendable () -> Void,
            wait: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.name = name
            self.calls = calls
            self.block = block
            self.wait = wait
        }
    }

    /// The port's side.
    public struct Session: Sendable {
        let signIn: @Sendable (Subject) async throws -> Void
        let signInWithWrongPassword: @Sendable (Subject) async throws -> Void
        let signOut: @Sendable (Subject) async throws -> Void
        let isSignedIn: @Sendable (Subject) async throws -> Bool
        let shown: @Sendable (Subject) async throws -> String
        let another: Another?

        /// Describes how users sign in and out.
        ///
        /// - Parameters:
        ///   - signInWithWrongPassword: signs in as a known user with a wrong password.
        ///   - shown: everything that the port shows about the session: the user, the currency, the language. Nil for
        ///     whether a user is signed in.
        ///   - another: another user of the vendor; nil if it knows only one.
        public init(
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            signInWithWrongPassword: @escaping @Sendable (Subject) async throws -> Void,
            signOut: @escaping @Sendable (Subject) async throws -> Void,
            isSignedIn: @escaping @Sendable (Subject) async throws -> Bool,
            shown: (@Sendable (Subject) async throws -> String)? = nil,
            another: Another? = nil
        ) {
            self.signIn = signIn
            self.signInWithWrongPassword = signInWithWrongPassword
            self.signOut = signOut
            self.isSignedIn = isSignedIn
            self.shown = shown ?? { try await isSignedIn($0) ? "a user" : "no user" }
            self.another = another
        }
    }

    /// Another user that the vendor knows.
    public struct Another: Sendable {
        let name: String
        let signIn: @Sendable (Subject) async throws -> Void
        let signInWithWrongPassword: @Sendable (Subject) async throws -> Void

        /// Describes how the other user signs in.
        ///
        /// - Parameters:
        ///   - name: the user's name, as the `users` closure of a ``ProbedCall`` returns it.
        ///   - signInWithWrongPassword: signs in with a wrong password.
        public init(
            _ name: String,
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            signInWithWrongPassword: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.name = name
            self.signIn = signIn
            self.signInWithWrongPassword = signInWithWrongPassword
        }
    }

    /// The vendor's side.
    public struct Vendor: Sendable {
        let reset: @Sendable (Subject) async throws -> Void
        let expire: @Sendable (Subject) async throws -> Void
        let revoke: @Sendable (Subject) async throws -> Void
        let refreshes: @Sendable (Subject) async throws -> Int
        let injectOnRefresh: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
        let signOut: SignOut?

        /// Describes what the harness does at the vendor.
        ///
        /// - Parameters:
        ///   - reset: restores the vendor's initial data, counters and faults.
        ///   - expire: expires every access token handed out so far; they can be refreshed.
        ///   - revoke: ends every session: access and refresh tokens handed out so far become invalid.
        ///   - refreshes: returns how many refreshes have arrived.
        ///   - injectOnRefresh: makes the vendor answer the next refreshes with this fault, the given number of times.
        ///   - signOut: how the vendor hears of sign-outs; nil if the harness cannot make it refuse them, and AUTH-15 is
        ///     then not there.
        public init(
            reset: @escaping @Sendable (Subject) async throws -> Void,
            expire: @escaping @Sendable (Subject) async throws -> Void,
            revoke: @escaping @Sendable (Subject) async throws -> Void,
            refreshes: @escaping @Sendable (Subject) async throws -> Int,
            injectOnRefresh: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
            signOut: SignOut? = nil
        ) {
            self.reset = reset
            self.expire = expire
            self.revoke = revoke
            self.refreshes = refreshes
            self.injectOnRefresh = injectOnRefresh
            self.signOut = signOut
        }
    }

    /// How the vendor hears of sign-outs.
    public struct SignOut: Sendable {
        let call: PortCall<Subject, Void, Void>
        let inject: @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void
        let outlast: @Sendable (Subject) async throws -> Void

        /// Describes what the harness does to the calls that end a session.
        ///
        /// - Parameters:
        ///   - call: the port's sign-out.
        ///   - inject: makes the vendor answer the next of these calls with this fault, the given number of times. It
        ///     has no effect on an adapter that makes none.
        ///   - outlast: advances the subject's clock until the adapter no longer waits for the answer.
        public init(
            call: PortCall<Subject, Void, Void>,
            inject: @escaping @Sendable (Subject, VendorFault, _ times: Int) async throws -> Void,
            outlast: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.call = call
            self.inject = inject
            self.outlast = outlast
        }
    }
}
