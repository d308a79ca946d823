import DequeModule

/// A credential that becomes known later and expires. Calls ask for it, and a missing one throws.
///
/// Refreshes are coalesced: callers with an expired credential share one refresh, and each tries once more with the new one. A
/// late refusal of an older credential causes no refresh, and a cancelled caller does not cancel the shared one. A failed
/// refresh keeps the credential unless `revokes` recognises the error; a late failure never clears a newer credential. The
/// stored credential changes in the same order as the used one.
public actor CredentialSource<Credential: Sendable> {
    private var credential: Credential?
    private var generation = 0
    private var refreshing: (generation: Int, task: Task<Void, any Error>)?
    /// `store` may take time, and the actor handles other calls meanwhile: writers take turns.
    private var isWriting = false
    private var writers: Deque<CheckedContinuation<Void, Never>> = []

    private let refresh: @Sendable (Credential) async throws -> Credential
    private let store: @Sendable (Credential?) async throws -> Void
    private let revokes: @Sendable (any Error) -> Bool
    private let isSameUser: @Sendable (Credential, Credential) -> Bool
    private let missing: @Sendable () -> any Error
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - credential: the initial credential.
    ///   - refresh: returns the next credential for an expired one. A call that it makes with this source, and that is refused
    ///     as expired, throws ``CredentialRefreshNeedsItself``.
    ///   - store: saves each new credential before it is used, or deletes it for nil. If it throws, `set` changes
    ///     nothing; a refreshed credential is used anyway, because the old one may be invalid, and its waiting callers
    ///     get the error.
    ///   - revokes: whether the error of a refresh means that the credential is no longer valid.
    ///   - isSameUser: whether two credentials belong to one user; a call is not repeated with another user's. By
    ///     default all credentials do.
    ///   - missing: the error for callers while there is no credential.
    ///   - executor: runs the shared refresh.
    public init(
        _ credential: Credential? = nil,
        refresh: @escaping @Sendable (Credential) async throws -> Credential,
        store: @escaping @Sendable (Credential?) async throws -> Void = { _ in },
        revokes: @escaping @Sendable (any Error) -> Bool,
        isSameUser: @escaping @Sendable (Credential, Credential) -> Bool = { _, _ in true },
        missing: @escaping @Sendable () -> any Error,
        executor: (any TaskExecutor)? = nil
    ) {
        self.credential = credential
        self.refresh = refresh
        self.store = store
        self.revokes = revokes
        self.isSameUser = isSameUser
        self.missing = missing
        self.executor = executor
    }

    /// The current credential.
    public var current: Credential? { credential }

    /// Replaces the credential after a sign-in, or clears it with nil.
    public func set(_ credential: Credential?) async throws {
        await beginWriting()
        defer { endWriting() }
        try await store(credential)
        generation += 1
        self.credential = credential
    }

    /// Makes a call with the credential; if `isExpired` recognises its error, refreshes once and calls once more.
    ///
    /// - Throws: the error of `missing` if there is no credential, or if it is another user's when the call is to be
    ///   repeated; the error of `call` or of the refresh.
    public func use<Value: Sendable>(
        isExpired: @Sendable (any Error) -> Bool,
        _ call: @Sendable (Credential) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        guard let credential else { throw missing() }
        let used = generation
        do {
            return try await call(credential)
        } catch  where isExpired(error) {
            try await refreshed(after: used)
            guard let new = self.credential, isSameUser(credential, new) else { throw missing() }
            return try await call(new)
        }
    }

    /// Returns once the credential is newer than generation `used`.
    private func refreshed(after used: Int) async throws {
        guard generation == used else { return }
        guard !RefreshUnderWay.all.contains(RefreshUnderWay(of: self, used)) else {
            throw CredentialRefreshNeedsItself()
        }
        let task = refreshing?.generation == used ? refreshing?.task : nil
        try await waiting(for: task ?? startRefresh())
    }

    private func startRefresh() -> Task<Void, any Error> {
        let started = generation
        let task = Task(executorPreference: executor) { try await self.runRefresh(of: started) }
        refreshing = (started, task)
        return task
    }

    private func runRefresh(of started: Int) async throws {
        defer { if refreshing?.generation == started { refreshing = nil } }
        guard generation == started else { return }
        guard let old = credential else { throw missing() }
        let new: Credential
        do {
            let underWay = RefreshUnderWay.all.union([RefreshUnderWay(of: self, started)])
            new = try await RefreshUnderWay.$all.withValue(underWay) { try await refresh(old) }
        } catch {
            // The user signed in or out meanwhile: the failure of the old session no longer matters.
            guard generation == started else { return }
            if revokes(error) { await forget(after: started) }
            throw error
        }
        try await keep(new, after: started)
    }

    private func keep(_ new: Credential, after started: Int) async throws {
        await beginWriting()
        defer { endWriting() }
        guard generation == started else { return }
        defer {
            credential = new
            generation += 1
        }
        try await store(new)
    }

    private func forget(after started: Int) async {
        await beginWriting()
        defer { endWriting() }
        guard generation == started else { return }
        credential = nil
        generation += 1
        do {
            try await store(nil)
        } catch {
            // Callers must get the refusal instead. The stored credential is refused again after a restart.
        }
    }

    private func beginWriting() async {
        guard isWriting else {
            isWriting = true
            return
        }
        await withCheckedContinuation { writers.append($0) }
    }

    private func endWriting() {
        if let next = writers.popFirst() { next.resume() } else { isWriting = false }
    }

    /// Waits for the shared refresh; a cancelled caller leaves at once, and the refresh goes on.
    private nonisolated func waiting(for task: Task<Void, any Error>) async throws {
        try await passingEscalation {
            task.raise(to: $0)
        } of: {
            try await vendorCall { complete in
                // Awaiting the refresh at the caller's priority raises the refresh to it.
                let watcher = Task(executorPreference: executor) { complete(await task.result) }
                return VendorCancellation { watcher.cancel() }
            }
        }
    }
}

/// A refresh of a ``CredentialSource`` made a call with that source, and the call was refused as expired: it would wait for the
/// refresh that made it.
public struct CredentialRefreshNeedsItself: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public var description: String {
        "the refresh of a credential makes a call that needs the refreshed credential; let it call the vendor directly"
    }
}

/// A refresh in whose task this code runs.
private struct RefreshUnderWay: Hashable, Sendable {
    @TaskLocal static var all: Set<RefreshUnderWay> = []

    private let source: ObjectIdentifier
    private let generation: Int

    init(of source: AnyObject, _ generation: Int) {
        (self.source, self.generation) = (ObjectIdentifier(source), generation)
    }
}
