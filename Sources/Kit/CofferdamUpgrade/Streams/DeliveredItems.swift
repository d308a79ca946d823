import Cofferdam
import DequeModule

/// What a subscriber was told last, within a bound, so that nothing is told twice and nothing after its deletion.
struct DeliveredItems: Sendable {
    /// What two elements of one event have in common: its id, or what its sender has called it.
    struct Key: Sendable, Hashable {
        var text: String
        var kind: StreamItem.Kind
        var isClientID = false
    }

    private let capacity: Int
    private var order: Deque<Key> = []
    private var keys: Set<Key> = []

    /// - Parameter memory: how many elements are remembered.
    init(memory: Int) { capacity = 2 * memory }

    var count: Int { keys.count }

    /// - Parameter items: one event, under each id that it was told by; elsewhere too.
    mutating func add(_ items: [StreamItem]) {
        for key in items.flatMap(\.keys) where keys.insert(key).inserted { order.append(key) }
        while order.count > capacity { keys.remove(order.removeFirst()) }
    }

    mutating func removeAll() {
        order = []
        keys = []
    }

    func contains(_ items: [StreamItem]) -> Bool { items.contains { $0.keys.contains { keys.contains($0) } } }

    func hasDeletion(of items: [StreamItem]) -> Bool {
        items.contains { $0.kind != .deletion && keys.contains(Key(text: $0.id, kind: .deletion)) }
    }
}

extension StreamItem {
    var keys: [DeliveredItems.Key] {
        let key = DeliveredItems.Key(text: id, kind: kind)
        guard let clientID else { return [key] }
        return [key, DeliveredItems.Key(text: clientID, kind: kind, isClientID: true)]
    }
}
