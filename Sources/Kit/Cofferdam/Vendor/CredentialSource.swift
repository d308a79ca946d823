import DequeModule

/// A credential that is known only later, expires, and is **asked** for: a missing one throws.
///
/// Refreshing is coalesced. However many callers meet an expired credential, there is one refresh, and each of them tries
/// once more with what it gave; a late refusal of an older credential refreshes nothing; a caller that is cancelled
/// leaves the shared refresh alone. A refresh that fails keeps the credential unless `revokes` says that the error has
/// ended it; a late failure never clears a newer one. What is stored changes in the same order as what is used.
public actor CredentialSource<Credential: Sendable> {
    private var credential: Credential?
    private var generation = 0
    private var refreshing: (generation: Int, task: Task<Void, any Error>)?
    /// `store` takes its time, and the actor takes other calls meanwhile: writers come one after the other.
    private var isWriting = false
    private var writers: Deque<CheckedContinuation<Void, Never>> = []

    private let refresh: @Sendable (Credential) async throws -> Credential
    private let store: @Sendable (Credential?) async throws -> Void
    private let revokes: @Sendable (any Error) -> Bool
    private let isSameUser: @Sendable (Credential, Credential) -> Bool
    private let missing: @Sendable () -> any Error
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - credential: what is known already.
    ///   - refresh: gives the next credential for an expired one.
    ///   - store: keeps each new one before anybody uses it, nil to forget it. If it throws, `set` has changed nothing;
    ///     a refreshed credential is used all the same, because the one before may be used up, and those who waited for
    ///     it get the error.
    ///   - revokes: whether a refresh's error means that the credential is worth nothing any more.
    ///   - isSameUser: whether two credentials are of one user; what was begun with one's is not made with another's. By
    ///     default they all are.
    ///   - missing: the error for callers while there is no credential.
    ///   - executor: where the shared refresh runs.
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

    /// What is known now.
    public var current: Credential? { credential }

    /// Replaces the credential, after a sign-in, or forgets it.
    public func set(_ credential: Credential?) async throws {
        await beginWriting()
        defer { endWriting() }
        try await store(credential)
        generation += 1
        self.credential = credential
    }

    /// Makes a call with the credential; if `isExpired` recognises its error, refreshes once and calls once more.
    ///
    /// - Throws: what `missing` gives while there is no credential, or if it is another user's when the call is to be made again.
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
            new = try await refresh(old)
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
            // The refusal is what callers must hear of. The stored credential is refused again after a restart.
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

    /// Waits for the shared refresh; a cancelled waiter leaves at once, and the refresh goes on.
    private nonisolated func waiting(for task: Task<Void, any Error>) async throws {
        try await passingEscalation {
            task.raise(to: $0)
        } of: {
            try await vendorCall { complete in
                // It awaits the refresh at the caller's priority, which raises the refresh.
                let watcher = Task(executorPreference: executor) { complete(await task.result) }
                return VendorCancellation { watcher.cancel() }
            }
        }
    }
}
