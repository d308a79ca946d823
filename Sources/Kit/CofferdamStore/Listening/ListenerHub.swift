/// A value that is listened to. See ``Node`` for the proof of `@unchecked Sendable`.
///
/// Its listeners stand in an array with gaps, so that adding and removing one costs the same however many there are.
final class ListenerHub<Value: Sendable>: @unchecked Sendable {
    typealias NetChange = (_ old: Value, _ new: Value, Graph) -> (value: Value, changes: StoreChanges)?

    private(set) var value: Value
    private(set) var version: Int
    private var entries: [Listener<Value>?] = []
    private var count = 0
    /// What has changed from the first value to the second, and how the second is told then; nil if nothing has.
    let netChange: NetChange
    private let onLastLeft: (Graph) -> Void

    init(
        _ value: Value,
        version: Int,
        netChange: @escaping NetChange,
        onLastLeft: @escaping (Graph) -> Void
    ) {
        self.value = value
        self.version = version
        self.netChange = netChange
        self.onLastLeft = onLastLeft
    }

    var isEmpty: Bool { count == 0 }

    /// Registers a listener, and queues its first event.
    func add(_ body: @escaping @Sendable (StoreEvent<Value>) -> Void, in graph: Graph) -> Listener<Value> {
        let listener = Listener(self, body)
        listener.index = entries.count
        entries.append(listener)
        count += 1
        let (event, version) = (StoreEvent(value: value, changes: .none, context: nil), version)
        graph.outbox.append { listener.deliver(event, version: version) }
        return listener
    }

    func remove(_ listener: Listener<Value>, in graph: Graph) {
        let index = listener.index
        guard index < entries.count, entries[index] === listener else { return }
        entries[index] = nil
        count -= 1
        if count == 0 {
            entries = []
            onLastLeft(graph)
        } else if count * 2 < entries.count {
            entries.removeAll { $0 == nil }
            for (index, listener) in entries.enumerated() { listener?.index = index }
        }
    }

    /// Takes the value over, and queues its delivery, as `told` if that is how it is told to who knows the one before.
    func publish(
        _ value: Value,
        told: Value? = nil,
        version: Int,
        _ transaction: Transaction,
        in graph: Graph
    ) {
        self.value = value
        self.version = version
        guard count > 0 else { return }
        let event = StoreEvent(value: told ?? value, changes: transaction.changes, context: transaction.context)
        let (entries, origin) = (entries, transaction.origin)
        graph.outbox.append {
            for listener in entries {
                if let listener, listener !== origin { listener.deliver(event, version: version) }
            }
        }
    }
}
