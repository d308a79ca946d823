#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// The session of the vendor's V2 on this device, shared by all instances that are open in one directory: the one that
/// answers, and the shadow. A refresh token is valid for one call only, so it is used once, and its result is stored in
/// the directory before it is used.
///
/// V1's session is only read. It is exchanged when the first call needs it, with the installation's id as the
/// idempotency key, and remains valid for V1.
public final class MenagerieV2Credentials: Sendable {
    private struct State {
        var source: CredentialSource<MenagerieV2.Session>?
        /// The open clients, through which the vendor can be asked.
        var clients: [MenagerieClient] = []
        var configuration: MenagerieV2Configuration?
    }

    private let store: SessionStore
    private let archive: LegacyArchive
    private let state = Mutex(State())

    /// - Parameter directory: the directory in which both majors keep their sessions.
    public init(directory: String) {
        store = SessionStore(directory: directory)
        archive = LegacyArchive(directory: directory)
    }

    /// Returns the user whose session is stored on this device, by either major; nil if there is none.
    ///
    /// - Throws: ``SanctuaryError`` if a session exists and cannot be read.
    public func storedUser() async throws -> String? {
        do {
            return try await stored()?.account.id
        } catch {
            throw portError(error, now: Instant(millisecondsSince1970: 0))
        }
    }

    /// Reads the stored sessions again, after V1 has signed a user in or out in the directory. A session of any other
    /// user is revoked, if the vendor can be reached, and forgotten, even if V2 has just stored it.
    ///
    /// - Parameter user: the user signed in now; nil for none.
    /// - Throws: ``SanctuaryError`` if a session exists and cannot be read; nothing is changed then.
    public func reload(for user: String?) async throws {
        guard let source = state.withLock({ $0.source }) else { return }
        let old = await source.current
        guard old?.account.id != user else { return }
        do {
            let new = try await stored()
            try await source.set(new?.account.id == user ? new : nil)
        } catch {
            throw portError(error, now: Instant(millisecondsSince1970: 0))
        }
        guard let old, !old.awaitsExchange else { return }
        let (client, configuration) = state.withLock { ($0.clients.last, $0.configuration) }
        if let client, let configuration { await client.revoke(old, configuration) }
    }
}

// MARK: For a connection

extension MenagerieV2Credentials {
    /// Returns V2's own session, or else V1's, which has not been exchanged yet. V1's session wins if it belongs to
    /// another user: V2 leaves none of another user beside its own, so V1 was interrupted before it removed V2's. An
    /// anonymous session does not count: the vendor creates one, even over a real session, when it is called before it
    /// is configured.
    func stored() async throws -> MenagerieV2.Session? {
        guard let own = try await store.load(), !own.isAnonymous else {
            return try await archive.settled().map(MenagerieV2.Session.init(awaitingExchange:))
        }
        // An unreadable V1 session does not invalidate V2's.
        guard let other = try? await archive.settled(), other.account.id != own.account.id else { return own }
        return MenagerieV2.Session(awaitingExchange: other)
    }

    /// Returns the directory's single token source, for an instance that opens now.
    ///
    /// - Parameter session: the stored session.
    func join(
        _ client: MenagerieClient,
        with session: MenagerieV2.Session?,
        _ configuration: MenagerieV2Configuration
    ) async -> CredentialSource<MenagerieV2.Session> {
        let (source, isNew) = state.withLock { state in
            state.clients.append(client)
            state.configuration = configuration
            if let source = state.source { return (source, false) }
            let source = CredentialSource.menagerieV2(
                session,
                deadline: configuration.deadline,
                clock: configuration.clock,
                executor: configuration.executor,
                refresh: { [self] in try await newTokens(for: $0) },
                store: store
            )
            state.source = source
            return (source, true)
        }
        do {
            if isNew {
                // V1 may have signed a user in or out since the session was read. If it cannot be read now, it remains
                // in use.
                let stored = try await stored()
                if stored?.account.id != session?.account.id { try await source.set(stored) }
            } else if let session {
                await restore(session)
            }
        } catch {}
        return source
    }

    /// Uses a session that could not be read when the first instance was opened, unless a user has signed in since. If
    /// it cannot be stored either, no user is signed in.
    func restore(_ session: MenagerieV2.Session) async {
        guard let source = state.withLock({ $0.source }), await source.current == nil else { return }
        do { try await source.set(session) } catch {}
    }

    /// Removes an instance that is closed.
    func leave(_ client: MenagerieClient) { state.withLock { $0.clients.removeAll { $0 === client } } }

    private func newTokens(for old: MenagerieV2.Session) async throws -> TokenGrant {
        guard let client = state.withLock({ $0.clients.last }) else { throw SanctuaryError.servicesClosed }
        return try await client.newTokens(for: old)
    }
}

extension MenagerieClient {
    /// Revokes a session that this device has forgotten. The vendor need not be reachable: the tokens are already gone
    /// from the device, and a failure is reported as an issue.
    nonisolated func revoke(_ session: MenagerieV2.Session, _ configuration: MenagerieV2Configuration) async {
        do {
            let patience = min(configuration.deadline, .seconds(5))
            try await withDeadline(patience, clock: configuration.clock) { [self] in
                try await revoke(refreshToken: session.refreshToken)
            }
        } catch {
            let what = "signed out here only: \(portError(error, now: configuration.now()))"
            let issue = TranslationIssue(what, at: "session", raw: session.account.id, severity: .info)
            configuration.issues.report([issue], of: "signOut")
        }
    }
}
#endif
