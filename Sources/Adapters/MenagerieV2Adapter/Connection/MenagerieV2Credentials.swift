import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Who is signed in on this device by the vendor's V2, with one owner for all instances that are open for one directory: the
/// one that answers, and the one that rehearses. A refresh token, which is good for one call only, is used up once, and what
/// it gave is kept in the directory before anybody uses it.
///
/// V1's session is only read here. It is exchanged when the first call needs it, under the installation's id as the key, and
/// stays good on V1.
public final class MenagerieV2Credentials: Sendable {
    private struct State {
        var source: CredentialSource<MenagerieV2.Session>?
        /// Those that are open, by whom the vendor can be asked.
        var clients: [MenagerieClient] = []
        var configuration: MenagerieV2Configuration?
    }

    private let store: SessionStore
    private let archive: LegacyArchive
    private let state = Mutex(State())

    /// - Parameter directory: where both majors keep their sessions.
    public init(directory: String) {
        store = SessionStore(directory: directory)
        archive = LegacyArchive(directory: directory)
    }

    /// Whose session is stored on this device, by whichever major; nil if nobody's is.
    ///
    /// - Throws: ``SanctuaryError`` for one that is there and cannot be read.
    public func storedUser() async throws -> String? {
        do {
            return try await stored()?.account.id
        } catch {
            throw portError(error, now: Instant(millisecondsSince1970: 0))
        }
    }

    /// Looks again at what is stored, after V1 has signed somebody in or out in the directory. A session of anybody else is
    /// revoked, if the vendor can be reached; it is also forgotten where V2 has just kept it anew.
    ///
    /// - Parameter user: who is signed in now; nil for nobody.
    /// - Throws: ``SanctuaryError`` for a session that is there and cannot be read; nothing is changed then.
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
    /// V2's own session, else that of V1, which has not been exchanged yet. That of V1 also where it is somebody else's: V2
    /// leaves none such beside its own, so V1 was interrupted before it forgot V2's. An anonymous one is nobody's: the vendor
    /// begins it, over a real one too, wherever it is asked before it is configured.
    func stored() async throws -> MenagerieV2.Session? {
        guard let own = try await store.load(), !own.isAnonymous else {
            return try await archive.settled().map(MenagerieV2.Session.init(awaitingExchange:))
        }
        // One that cannot be read says nothing against V2's.
        guard let other = try? await archive.settled(), other.account.id != own.account.id else { return own }
        return MenagerieV2.Session(awaitingExchange: other)
    }

    /// The one source of this directory, for an instance that is open from now on.
    ///
    /// - Parameter session: what was found stored.
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
                // V1 may have signed somebody in or out since it was read. If it cannot be read now, it stands.
                let stored = try await stored()
                if stored?.account.id != session?.account.id { try await source.set(stored) }
            } else if let session, await source.current == nil {
                // It could not be read when the first instance was opened. If it cannot be kept either, nobody is signed in.
                try await source.set(session)
            }
        } catch {}
        return source
    }

    /// The instance is closed.
    func leave(_ client: MenagerieClient) { state.withLock { $0.clients.removeAll { $0 === client } } }

    private func newTokens(for old: MenagerieV2.Session) async throws -> TokenGrant {
        guard let client = state.withLock({ $0.clients.last }) else { throw SanctuaryError.servicesClosed }
        return try await client.newTokens(for: old)
    }
}

extension MenagerieClient {
    /// Asks the vendor to forget a session that this device has forgotten. It need not be in reach: the tokens are gone
    /// from here, and a failure is told as an issue.
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
