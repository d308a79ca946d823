import Cofferdam
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
