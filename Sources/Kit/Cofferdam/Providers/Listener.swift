import Synchronization

/// One listener of a provider. What it holds is freed with it, never under a lock.
///
/// Proof: it and its subclasses keep nothing but an atomic and immutable closures that are `@Sendable`.
class Listener<Value: Sendable>: @unchecked Sendable {
    private let hasLeft = Atomic(false)

    /// Stops all further calls, even those of a delivery that is under way.
    final func leave() { hasLeft.store(true, ordering: .releasing) }

    final var isListening: Bool { !hasLeft.load(ordering: .acquiring) }

    func call(_ value: Value) {}

    /// Called when the provider's source is gone: there will be no further value.
    func end() {}
}

// Proof: see Listener.
final class ClosureListener<Value: Sendable>: Listener<Value>, @unchecked Sendable {
    private let body: @Sendable (Value) -> Void
    private let ending: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable (Value) -> Void, end: (@Sendable () -> Void)?) {
        self.body = body
        ending = end
    }

    override func call(_ value: Value) { body(value) }
    override func end() { ending?() }
}

/// Keeps a listener registered until it is cancelled or released.
public final class ListenerToken: Sendable {
    private enum Removal {
        case closure(@Sendable () -> Void)
        case listener(Int, of: any ListenerHost)
    }

    private let removal: Mutex<Removal?>

    package init(_ removal: @escaping @Sendable () -> Void) { self.removal = Mutex(.closure(removal)) }

    /// Avoids a closure for each listener.
    init(_ key: Int, of host: any ListenerHost) { removal = Mutex(.listener(key, of: host)) }

    deinit { cancel() }

    /// Removes the listener; callable from anywhere, including its own callback. A callback that is running on another
    /// thread ends normally. Idempotent.
    public func cancel() {
        let removal = self.removal.withLock { $0.take() }
        switch removal {
        case .closure(let body): body()
        case .listener(let key, let host): host.removeListener(key)
        case nil: break
        }
    }
}

/// Keeps registered listeners. Tokens hold it; once its source is gone, it holds no listener.
protocol ListenerHost: AnyObject, Sendable {
    func removeListener(_ key: Int)
}
