import Cofferdam

extension Loadable {
    /// Writes the contents locally, as if they had been loaded now. A current run still returns to its callers but no longer
    /// changes the contents.
    @inlinable
    public func set(_ contents: Contents) { write(ContentsBox(contents)) }

    /// Reads and writes the contents as one step, like ``set(_:)``. `change` gets them without pending changes, and runs under
    /// a lock: keep it short and do not use the loadable in it.
    public func update(_ change: (Contents?) -> Contents) {
        let now = timekeeper.now
        state.withLock { state in
            commitLocally(changed(state.base, change), at: now, in: &state)
            post(&state, at: now)
        }
        source.deliver()
    }

    /// Applies a change that became known elsewhere to existing contents; without contents it does nothing.
    ///
    /// State, error and age stay, and a current run commits afterwards unless a local write has overtaken it. `change` runs
    /// under a lock: keep it short and do not use the loadable in it.
    public func correct(_ change: (Contents) -> Contents) {
        state.withLock { state in
            guard state.base != nil else { return }
            state.correct { ContentsBox(change(ContentsBox<Contents>.of($0).contents)) }
            post(&state)
        }
        source.deliver()
    }

    /// Shows a change before the server has confirmed it, over what is loaded or written meanwhile.
    ///
    /// State, error and age are those of the contents below. `change` is applied again to each answer that arrives, which may
    /// contain it already: insert, replace and remove by id, so that a second time changes nothing. It runs under a lock:
    /// keep it short and do not use the loadable in it.
    ///
    /// - Returns: the change, to be confirmed or rolled back.
    public func writeOptimistically(_ change: @escaping @Sendable (Contents?) -> Contents) -> OptimisticWrite {
        let number = state.withLock { state in
            let number = state.add { Self.changed($0, change) }
            post(&state)
            return number
        }
        source.deliver()
        return OptimisticWrite(
            number: number,
            of: ObjectIdentifier(self),
            confirm: { [weak self] in self?.confirm(number) ?? false },
            rollBack: { [weak self] in self?.takeBack(number) ?? false }
        )
    }

    /// Replaces an optimistic write by what the server has made of it, such as an order with the server's own number.
    ///
    /// The contents do not become stale. If a run is in progress, its answer gets `change` too.
    ///
    /// - Parameters:
    ///   - write: a write of this loadable.
    ///   - change: applied to the contents without the write, as ``writeOptimistically(_:)`` says.
    /// - Returns: false if the write was confirmed, rolled back or reset before, or belongs to another loadable.
    @discardableResult
    public func confirm(_ write: OptimisticWrite, with change: @escaping @Sendable (Contents?) -> Contents) -> Bool {
        guard write.owner == ObjectIdentifier(self) else { return false }
        let isPending = state.withLock { state in
            guard state.confirm(write.number, as: { Self.changed($0, change) }) else { return false }
            post(&state)
            return true
        }
        if isPending { source.deliver() }
        return isPending
    }

    /// Marks the contents as stale. They stay readable, and the next caller loads them; a loadable that is kept in sync loads
    /// at once. The answer of a current run commits too, but is stale.
    public func invalidate() {
        state.withLock { state in
            state.invalidate()
            post(&state)
        }
        source.deliver()
        startForInterest()
    }

    /// Ends the current run and cancels its work; contents and state are as before it.
    ///
    /// Its callers get ``LoadableError/Code/givenUp``.
    public func cancel() { giveUpForAll { _ in } }

    /// Returns to the initial state, without pending changes. The callers of a current run get ``LoadableError/Code/givenUp``. If this is kept in
    /// sync, it loads again.
    public func reset() {
        giveUpForAll { state in
            state.dropPendingChanges()
            state.isFresh = false
            state.settled = .idle
            state.failure = nil
            state.loadedAt = nil
            state.isLocal = false
            state.isInvalidated = false
        }
        startForInterest()
    }

    private func changed(_ box: ErasedContents?, _ change: (Contents?) -> Contents) -> ContentsBox<Contents> {
        Self.changed(box, change)
    }

    private static func changed(_ box: ErasedContents?, _ change: (Contents?) -> Contents) -> ContentsBox<Contents> {
        ContentsBox(change(box.map { ContentsBox.of($0).contents }))
    }

    @usableFromInline
    func write(_ box: ErasedContents) {
        let now = timekeeper.now
        let (snapshot, posted) = state.withLock { state in
            commitLocally(box, at: now, in: &state)
            let snapshot = state.nextSnapshot(age: .zero)
            return (snapshot, source.post(snapshot))
        }
        source.deliver(snapshot, to: posted.listeners)
        // The old contents are freed here, without the lock: their deinitialiser may use this loadable.
        withExtendedLifetime(posted.replaced) {}
    }

    private func commitLocally(_ box: ErasedContents, at time: Duration, in state: inout LoadableState) {
        state.commit(.success(box), at: time, freshFor: freshness.contents, isLocal: true)
        state.isInvalidated = false
    }

    private func giveUpForAll(_ change: (inout LoadableState) -> Void) {
        let run = state.withLock { state in
            let run = state.run
            state.endRun()
            change(&state)
            post(&state)
            return run
        }
        run?.task?.cancel()
        source.deliver()
        let error = LoadableError(.givenUp, "the run was given up")
        run?.callers.end(LoadableOutcome(result: .failure(error), generation: nil))
    }

    private func confirm(_ change: Int) -> Bool {
        let isPending = state.withLock { state in
            guard state.confirm(change, as: nil) else { return false }
            state.invalidate()
            post(&state)
            return true
        }
        guard isPending else { return false }
        source.deliver()
        startForInterest()
        return true
    }

    private func takeBack(_ change: Int) -> Bool {
        let isPending = state.withLock { state in
            guard state.takeBack(change) else { return false }
            post(&state)
            return true
        }
        if isPending { source.deliver() }
        return isPending
    }
}

/// A change of a loadable or a store that is shown before the server has confirmed it: see
/// ``Loadable/writeOptimistically(_:)``.
public struct OptimisticWrite: Sendable {
    /// What identifies it among the changes of its owner.
    package let number: Int
    /// The loadable or the store that shows it.
    package let owner: ObjectIdentifier
    private let makeConfirmed: @Sendable () -> Bool
    private let takeBack: @Sendable () -> Bool

    package init(
        number: Int,
        of owner: ObjectIdentifier,
        confirm: @escaping @Sendable () -> Bool,
        rollBack: @escaping @Sendable () -> Bool
    ) {
        (self.number, self.owner) = (number, owner)
        (makeConfirmed, takeBack) = (confirm, rollBack)
    }

    /// Notes that the server has made the change. It stays on top until an answer arrives whose load began later, and the
    /// contents become stale, so that such a load comes.
    ///
    /// - Returns: false if the change was confirmed, rolled back or reset before.
    @discardableResult
    public func confirm() -> Bool { makeConfirmed() }

    /// Takes the change away, and nothing else.
    ///
    /// - Returns: false if the change was confirmed, rolled back or reset before.
    @discardableResult
    public func rollBack() -> Bool { takeBack() }
}

extension Array where Element: Identifiable {
    /// The array with the element in the place of the one with its id, or at the end: a second time changes nothing.
    public func upserting(_ element: Element) -> [Element] {
        var elements = self
        if let place = firstIndex(where: { $0.id == element.id }) {
            elements[place] = element
        } else {
            elements.append(element)
        }
        return elements
    }

    /// The array without the element of that id.
    public func removing(id: Element.ID) -> [Element] { filter { $0.id != id } }
}
