import Cofferdam
import DequeModule

/// The state under a ``ProviderCore``'s lock: the value, its listeners, and the pending deliveries.
///
/// The thread that sets ``isDelivering`` is the only one to deliver until ``Step/done`` or ``end()``.
struct ProviderState<Value: Sendable> {
    typealias Slots = [SparseList<Listener<Value>>.Slot]
    typealias Waiter = UnsafeContinuation<Versioned?, Never>

    struct Versioned: Sendable {
        var value: Value
        var version: Int
    }

    struct Woken {
        let waiters: [SparseList<Waiter>.Slot]
        let latest: Versioned
    }

    enum Step {
        case first(Value, to: Listener<Value>)
        case change(Value, to: Slots, upTo: Int)
        case end(Slots)
        /// Listeners that have left.
        case free([Listener<Value>])
        case done
    }

    private enum Delivery {
        case first(Value, to: Listener<Value>)
        /// To the listeners that had registered by then.
        case change(Value, upTo: Int)
        case end
    }

    var latest: Versioned
    var waiters = SparseList<Waiter>()
    private var replaced: [Value] = []
    private(set) var isFinished = false
    private var listeners = SparseList<Listener<Value>>()
    private var outbox: Deque<Delivery> = []
    private var isDelivering = false
    /// Listeners that left during a delivery: the list is shared then, and would be copied.
    private var pendingRemovals: [Int] = []

    init(latest: Versioned) { self.latest = latest }

    var listenerCount: Int { listeners.count - pendingRemovals.count }

    mutating func add(_ listener: Listener<Value>) -> Int {
        outbox.append(.first(latest.value, to: listener))
        if isFinished { outbox.append(.end) }
        return listeners.add(listener)
    }

    /// - Returns: the listener, for the caller to free; nil if the delivering thread frees it.
    mutating func remove(_ key: Int) -> Listener<Value>? {
        guard let listener = listeners[key] else { return nil }
        // The outbox may hold it too.
        listener.leave()
        guard isDelivering else { return listeners.remove(key) }
        pendingRemovals.append(key)
        return nil
    }

    mutating func finish() {
        isFinished = true
        outbox.append(.end)
    }

    // MARK: Publishing

    /// Keeps the old value until ``takeReplaced()``, because its deinitializer may use the provider.
    mutating func replace(by value: Value) { replaced.append(exchange(&latest.value, with: value)) }

    mutating func takeReplaced() -> [Value] {
        if replaced.isEmpty { return [] }
        defer { replaced = [] }
        return replaced
    }

    mutating func publish() {
        latest.version += 1
        if listeners.count > 0 { outbox.append(.change(latest.value, upTo: listeners.lastKey)) }
    }

    /// Like ``publish()``, but does not queue what can be delivered at once.
    ///
    /// - Returns: the listeners for the caller to call; nil if the delivery is queued.
    mutating func publishAtOnce() -> Slots? {
        guard !isDelivering, outbox.isEmpty, waiters.slots.isEmpty, listeners.count > 0 else {
            publish()
            return nil
        }
        latest.version += 1
        isDelivering = true
        return listeners.slots
    }

    mutating func wake() -> Woken? {
        waiters.slots.isEmpty ? nil : Woken(waiters: waiters.removeAll(), latest: latest)
    }

    // MARK: Delivering

    /// Whether the caller must deliver what is queued.
    mutating func begin() -> Bool {
        guard !isDelivering, !outbox.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// Whether the delivering thread has nothing more to do.
    mutating func end() -> Bool {
        guard outbox.isEmpty, pendingRemovals.isEmpty, !isFinished else { return false }
        isDelivering = false
        return true
    }

    /// The delivering thread's next step.
    mutating func next() -> Step {
        if !pendingRemovals.isEmpty {
            defer { pendingRemovals = [] }
            return .free(pendingRemovals.compactMap { listeners.remove($0) })
        }
        switch outbox.popFirst() {
        case .first(let value, let listener): return .first(value, to: listener)
        case .change(let value, let last): return .change(value, to: listeners.slots, upTo: last)
        case .end: return .end(listeners.slots)
        case nil:
            if isFinished, listeners.count > 0 { return .free(listeners.removeAll().compactMap(\.element)) }
            isDelivering = false
            return .done
        }
    }
}
