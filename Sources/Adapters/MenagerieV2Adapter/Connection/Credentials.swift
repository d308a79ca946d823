#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension CredentialSource where Credential == MenagerieV2.Session {
    /// The vendor's session: one refresh serves all waiting callers, and is stored on the device before it is used. The
    /// vendor's `expiresIn` is ignored: the device's clock may be wrong, and the server says when a token has expired.
    static func menagerieV2(
        _ session: MenagerieV2.Session?,
        deadline: Duration,
        clock: any Clock<Duration>,
        executor: (any TaskExecutor)?,
        refresh: @escaping @Sendable (_ old: MenagerieV2.Session) async throws -> TokenGrant,
        store: SessionStore
    ) -> CredentialSource {
        CredentialSource(
            session,
            refresh: { old in
                let grant = try await withDeadline(deadline, clock: clock) { try await refresh(old) }
                return MenagerieV2.Session(grant)
            },
            store: { session in
                // A session of V1 stays where V1 keeps it.
                if let session, !session.awaitsExchange {
                    try await store.save(session)
                } else {
                    try await store.delete()
                }
            },
            revokes: { error in
                // Without a code of the vendor it may be a proxy's 401, which says nothing about the session.
                if case .unauthenticated(_, let reply) = error as? MenagerieError { reply.code != nil } else { false }
            },
            isSameUser: { $0.account.id == $1.account.id },
            missing: { SanctuaryError(.authenticationRequired, "no user is signed in") },
            executor: executor
        )
    }
}

extension MenagerieV2.Session {
    init(_ grant: TokenGrant) {
        self.init(accessToken: grant.accessToken, refreshToken: grant.refreshToken, account: grant.account)
    }
}

extension MenagerieClient {
    /// Configures the SDK. Whether the stored session can be read does not matter: the SDK is usable nevertheless, and
    /// ``MenagerieV2Credentials`` reads the session.
    func configureWithoutSession() async throws {
        do { try await configure() } catch MenagerieError.storage {}
    }

    /// Requests new tokens for a session of V2 or V1. The installation's id is the idempotency key: if the process is
    /// killed before it could store the answer, the next one asks again and gets the same.
    func newTokens(for old: MenagerieV2.Session) async throws -> TokenGrant {
        let key = try await deviceStore.current()
        return old.awaitsExchange
            ? try await exchange(legacyToken: old.refreshToken, idempotencyKey: key)
            : try await refresh(refreshToken: old.refreshToken, idempotencyKey: key)
    }

    /// Keeps one installation id for V1 and V2, so that the vendor does not count two. A damaged id is an issue, and V2
    /// creates another.
    ///
    /// - Throws: if there is an id that cannot be read now, but may be readable the next time.
    func keepInstallation(of legacy: LegacyState, issues: IssueSink) async throws {
        if let known = try await deviceStore.load() { return try legacy.keep(deviceID: known) }
        do {
            if let id = try legacy.deviceID() { try await deviceStore.save(id) }
        } catch let error as SanctuaryError where error.code == .decoding {
            let issue = TranslationIssue(error.message, at: error.subject ?? "", raw: "", severity: .warning)
            issues.report([issue], of: "open")
        }
    }
}
#endif
