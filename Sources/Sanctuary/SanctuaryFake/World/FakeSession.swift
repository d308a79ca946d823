import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

/// An open instance: its work ends with it.
final class FakeInstance: Sendable {
    private let isClosed = Mutex(false)
    /// The unreachable address at which it looks for the world; nil if it finds it.
    private let address: DeadAddress?

    init(at address: DeadAddress? = nil) { self.address = address }

    /// - Throws: `unreachable` for an instance that does not find the world.
    func checkAddress() throws(SanctuaryError) {
        if let address { throw SanctuaryError(.unreachable, "the vendor cannot be reached: \(address)") }
    }

    static var closed: SanctuaryError { SanctuaryError(.closed, "the services have been closed") }

    func checkOpen() throws(SanctuaryError) {
        if isClosed.withLock({ $0 }) { throw Self.closed }
    }

    func close() { isClosed.withLock { $0 = true } }
}

/// The state that outlives an instance, and which a relaunch finds again.
final class FakeDevice: Sendable {
    private let kept = Mutex<FakeCredential?>(nil)
    /// The messages that could not be sent, by user, oldest first.
    private let outbox = Mutex<[String: [MessageDraft]]>([:])

    var credential: FakeCredential? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    func unsent(of user: String) -> [MessageDraft] { outbox.withLock { $0[user] ?? [] } }

    func keep(_ draft: MessageDraft, of user: String) {
        outbox.withLock { outbox in
            let isKept = outbox[user]?.contains { $0.key == draft.key } ?? false
            if !isKept { outbox[user, default: []].append(draft) }
        }
    }

    func drop(_ draft: MessageDraft, of user: String) {
        outbox.withLock { $0[user]?.removeAll { $0.key == draft.key } }
    }
}

/// The state shared by the ports of one instance: the world and the session.
struct FakeSession: Sendable {
    let world: FakeWorld
    let instance: FakeInstance
    let credentials: CredentialSource<FakeCredential>
    let time: FakeTime
    let device: FakeDevice
    let executor: (any TaskExecutor)?
    /// Receives what an SDK's adapter would report.
    let issues: IssueSink

    /// - Parameter device: stores the session.
    init(
        world: FakeWorld,
        instance: FakeInstance,
        time: FakeTime,
        executor: (any TaskExecutor)?,
        device: FakeDevice,
        issues: IssueSink
    ) {
        self.issues = issues
        self.device = device
        self.world = world
        self.time = time
        self.executor = executor
        self.instance = instance
        credentials = CredentialSource(
            device.credential,
            refresh: { old in
                try await world.answer(.refresh, to: instance) { try $0.refreshed(old) }
            },
            store: { device.credential = $0 },
            revokes: Self.isRefused,
            isSameUser: { $0.account.id == $1.account.id },
            missing: { SanctuaryError(.authenticationRequired, "no user is signed in") },
            executor: executor
        )
    }

    func close() {
        instance.close()
        world.release(instance, with: .failure(FakeInstance.closed))
        world.endStreams(of: instance, throwing: FakeInstance.closed)
    }

    /// Ends the streams that belong to the signed-in user.
    func endStreamsOfUser() {
        world.endMessages(
            of: instance,
            throwing: SanctuaryError(.authenticationRequired, "the user has signed out")
        )
    }

    /// Makes a call that needs no user.
    func call<Value: Sendable>(
        _ operation: SanctuaryOperation,
        _ body: @escaping @Sendable (FakeWorld) throws -> Value
    ) async throws -> Value {
        try instance.checkOpen()
        return try await time.bound(operation) { send in
            send()
            return try await world.answer(operation, to: instance, body)
        }
    }

    /// Makes a call that needs a user; an expired token is refreshed, once for all waiting calls.
    ///
    /// - Parameter user: the user who began the call; nil for the one signed in now. The call is made for no other
    ///   user.
    func call<Value: Sendable>(
        signedIn operation: SanctuaryOperation,
        as user: String? = nil,
        _ body: @escaping @Sendable (FakeWorld, FakeUser) throws -> Value
    ) async throws -> Value {
        try instance.checkOpen()
        return try await time.bound(operation) { send in
            try await credentials.use(isExpired: Self.isRefused) { credential in
                guard user == nil || credential.account.id == user else { throw Self.signedOut }
                send()
                return try await world.answer(operation, to: instance, as: credential.account.id) {
                    try body($0, try $0.user(holding: credential))
                }
            }
        }
    }

    /// Asks the vendor to end a session that this device has forgotten, for at most five seconds. A failure is an
    /// issue: the vendor need not be reachable.
    func revoke(_ credential: FakeCredential) async {
        do {
            try await withDeadline(min(time.deadline, .seconds(5)), clock: time.clock) {
                try await world.answer(.signOut, to: instance, as: credential.account.id) { world in
                    world.update { state in
                        state.accessTokens[credential.access] = nil
                        state.refreshTokens[credential.refresh] = nil
                    }
                }
            }
        } catch {
            let what = "signed out here only: \(error)"
            let issue = TranslationIssue(what, at: "session", raw: credential.account.id, severity: .info)
            issues.report([issue], of: "signOut")
        }
    }

    /// Returns the signed-in user's id.
    func user() async throws -> String {
        try Task.checkCancellation()
        try instance.checkOpen()
        guard let credential = await credentials.current else { throw Self.signedOut }
        return credential.account.id
    }

    private static let signedOut = SanctuaryError(.authenticationRequired, "no user is signed in, or a different one")

    private static let isRefused: @Sendable (any Error) -> Bool = {
        ($0 as? SanctuaryError)?.code == .authenticationRequired
    }
}

extension FakeWorld {
    func signedIn(_ credentials: Credentials) throws(SanctuaryError) -> FakeCredential {
        guard let user = update({ $0.users[credentials.user] }), credentials.password == FakeUser.password else {
            throw SanctuaryError(
                .authenticationRequired,
                "no such user, or another password",
                subject: credentials.user
            )
        }
        guard user.hasCurrency else { throw SanctuaryError(.decoding, "not a currency", subject: "currency") }
        return update { $0.issue(to: user) }
    }

    func user(holding credential: FakeCredential) throws(SanctuaryError) -> FakeUser {
        let user = update { state in state.accessTokens[credential.access].flatMap { state.users[$0] } }
        guard let user else { throw SanctuaryError(.authenticationRequired, "the access token has expired") }
        return user
    }

    /// Exchanges a refresh token, which can be used once. If the answer was lost, the same request gets the same tokens
    /// again, as long as they are unused.
    func refreshed(_ credential: FakeCredential) throws(SanctuaryError) -> FakeCredential {
        try update { state throws(SanctuaryError) in
            if let known = state.grants[credential.refresh], state.refreshTokens[known.refresh] != nil { return known }
            guard let name = state.refreshTokens.removeValue(forKey: credential.refresh), let user = state.users[name]
            else { throw SanctuaryError(.authenticationRequired, "the session has ended") }
            let grant = state.issue(to: user)
            state.grants[credential.refresh] = grant
            return grant
        }
    }
}

extension FakeState {
    fileprivate mutating func issue(to user: FakeUser) -> FakeCredential {
        let credential = FakeCredential(
            account: user.account,
            access: "access-\(nextNumber())",
            refresh: "refresh-\(nextNumber())"
        )
        accessTokens[credential.access] = user.account.id
        refreshTokens[credential.refresh] = user.account.id
        givenTokens += [credential.access, credential.refresh]
        return credential
    }
}
