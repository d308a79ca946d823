extension Loadable {
    /// Keeps this in sync for as long as the token is held: loads now if ``needsSync``, and again after each
    /// ``invalidate()``, and keeps a run going that everybody else has left.
    public func activate() -> ListenerToken {
        state.withLock { $0.interests += 1 }
        startForInterest()
        return ListenerToken { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.interests -= 1 }
            self.giveUpIfUnwanted()
        }
    }

    /// Calls `body` with the snapshot that stands, and then with every change, for as long as the token is held.
    ///
    /// `body` may use this loadable in any way. It must not hold the token's owner strongly.
    ///
    /// - Parameter isActive: whether to ``activate()`` too.
    public func observe(
        isActive: Bool = false,
        _ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void
    ) -> ListenerToken {
        let listening = snapshots.listen(body)
        guard isActive else { return listening }
        let activity = activate()
        return ListenerToken {
            listening.cancel()
            activity.cancel()
        }
    }

    /// Awaits `body` with the snapshot that stands, and then with later ones, one at a time, for as long as the token is
    /// held: while one is awaited those between are skipped, the last is not.
    public func observe(
        isActive: Bool = false,
        awaiting body: @escaping @Sendable (LoadableSnapshot<Contents>) async -> Void
    ) -> ListenerToken {
        let states = snapshots.states
        let task = Task(executorPreference: executor) { for await snapshot in states { await body(snapshot) } }
        let activity = isActive ? activate() : nil
        return ListenerToken {
            task.cancel()
            activity?.cancel()
        }
    }
}
