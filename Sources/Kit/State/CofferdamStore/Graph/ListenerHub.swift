/// The listeners of a value of any type. See ``Node`` for the proof of `@unchecked Sendable`.
///
/// The listeners are in an array with gaps, so that adding and removing one takes constant time.
class AnyListenerHub: @unchecked Sendable {
    fileprivate(set) final var listeners: ContiguousArray<AnyListener?> = []
    private final var count = 0
    fileprivate(set) final var version: Int
    fileprivate init(version: Int) { self.version = version }

    final var isEmpty: Bool { count == 0 }

    /// What an up-to-date listener knows, to be kept while it is paused.
    var known: any AnyObject & Sendable { self }
    /// Called when the last listener has left; for subclasses to override.
    func lastListenerLeft(_ graph: Graph) {}

    fileprivate final func append(_ listener: AnyListener) {
        listener.index = Int32(truncatingIfNeeded: listeners.count)
        listeners.append(listener)
        count += 1
    }

    final func remove(_ listener: AnyListener, in graph: Graph) {
        let index = Int(listener.index)
        guard index < listeners.count, listeners[index] === listener else { return }
        listeners[index] = nil
        count -= 1
        if count == 0 {
            listeners = []
            lastListenerLeft(graph)
        } else if count * 2 < listeners.count {
            closeGaps()
        }
    }

    private final func closeGaps() {
        var left = ContiguousArray<AnyListener?>()
        left.reserveCapacity(count * 3 / 2)
        for listener in listeners {
            guard let listener else { continue }
            listener.index = Int32(truncatingIfNeeded: left.count)
            left.append(listener)
        }
        listeners = left
    }
}

/// A value that is listened to.
// Proof: see ``Node``.
class ListenerHub<Value: Sendable>: AnyListenerHub, @unchecked Sendable {
    private(set) final var value: Value
    /// The event for a listener that registers now.
    private final var first: StoreEvent<Value>.Content?

    init(_ value: Value, version: Int) {
        self.value = value
        super.init(version: version)
    }

    /// Whether the value differs from the given one; for subclasses to override.
    func differs(from old: Value) -> Bool { true }
    /// The changes of the contents since the given value, which differs from the current one; for subclasses to
    /// override.
    func changes(since old: Value, in graph: Graph) -> StoreChanges { .none }

    /// Nil if the value has not changed.
    final func netChanges(from old: Value, in graph: Graph) -> StoreChanges? {
        differs(from: old) ? changes(since: old, in: graph) : nil
    }

    final override var known: any AnyObject & Sendable {
        if let first { return first }
        let first = StoreEvent<Value>.Content(value, .none, nil)
        self.first = first
        return first
    }

    /// Registers a listener, and queues its first event.
    final func add(_ body: @escaping @Sendable (StoreEvent<Value>) -> Void, in graph: Graph) -> AnyListener {
        let listener = StoreListener(self, body)
        append(listener)
        let (content, version) = (unsafeDowncast(known, to: StoreEvent<Value>.Content.self), version)
        graph.outbox.append { listener.deliver(StoreEvent(content), version: version) }
        return listener
    }

    /// Sets the value and queues its delivery, as `delivered` for listeners that know the previous value.
    final func publish(
        _ value: Value,
        delivered: Value? = nil,
        version: Int,
        _ transaction: Transaction,
        in graph: Graph
    ) {
        let origin = transaction.origin.flatMap { $0.hub === self ? $0 : nil }
        let isUpToDate = origin?.pausedAt.map { $0.version == self.version || !differs(from: Self.value($0.known)) }
        let previous = self.version
        replace(value)
        self.version = version
        if isUpToDate == true { origin?.noteOwnChangeWhilePaused(known, version) }
        guard !isEmpty else { return }
        let event = StoreEvent(value: delivered ?? value, changes: transaction.changes, context: transaction.context)
        let listeners = listeners
        graph.outbox.append {
            origin?.noteOwnChange(to: version, from: previous)
            Self.notify(listeners, event, version, origin)
        }
    }

    /// Sets an equal value, without a notification.
    final func replace(_ value: Value) {
        self.value = value
        first = nil
    }

    private static func value(_ known: AnyListener.Content) -> Value {
        // The hub itself creates what its listeners know.
        unsafeDowncast(known, to: StoreEvent<Value>.Content.self).value
    }

    private static func notify(
        _ listeners: ContiguousArray<AnyListener?>,
        _ event: StoreEvent<Value>,
        _ version: Int,
        _ origin: AnyListener?
    ) {
        let content: AnyListener.Content = event.content
        listeners.withUnsafeBufferPointer { listeners in
            for listener in listeners {
                guard let listener, listener !== origin else { continue }
                // The array keeps it alive; reference counting would take longer than everything else.
                Unmanaged.passUnretained(listener)._withUnsafeGuaranteedRef { listener in
                    // The hub itself creates its listeners.
                    if listener.accepts(version, content) {
                        unsafeDowncast(listener, to: StoreListener<Value>.self).call(event)
                    }
                }
            }
        }
    }
}

/// The listeners of every update. A paused one is notified at resume if there were any updates.
// Proof: see ``Node``.
final class UpdateHub: ListenerHub<Void>, @unchecked Sendable {
    init() { super.init((), version: 0) }
}
