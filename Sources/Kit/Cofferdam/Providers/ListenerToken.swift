/// Keeps a listener registered: released or cancelled, the listener hears nothing more.
public final class ListenerToken: Sendable {
    private let removal: Mutex<(@Sendable () -> Void)?>

    package init(_ removal: @escaping @Sendable () -> Void) { self.removal = Mutex(removal) }

    deinit { cancel() }

    /// Removes the listener, from anywhere, its own callback too. Idempotent. A callback that runs on another thread at
    /// this moment runs to its end.
    public func cancel() {
        let removal = self.removal.withLock { $0.take() }
        removal?()
    }
}

/// One listener; emptied when it is removed, so that it can be skipped wherever it still stands.
final class Listener<Value: Sendable>: Sendable {
    struct Body: Sendable {
        var call: @Sendable (Value) -> Void
        /// The provider's source has gone: there will be no other value.
        var end: @Sendable () -> Void
    }

    /// The version that it is given first: only later ones are changes to it.
    let joinedAt: Int
    private let body: Mutex<Body?>

    init(joinedAt: Int, _ body: Body) {
        self.joinedAt = joinedAt
        self.body = Mutex(body)
    }

    func call(_ value: Value) {
        let body = self.body.withLock { $0 }
        body?.call(value)
    }

    func end() {
        let body = self.body.withLock { $0 }
        body?.end()
    }

    var isEmpty: Bool { body.withLock { $0 == nil } }

    /// Whether it was there until now. What the closures held is freed outside of every lock.
    func empty() -> Bool {
        let body = self.body.withLock { $0.take() }
        return body != nil
    }
}
