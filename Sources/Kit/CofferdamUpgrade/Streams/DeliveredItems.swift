import Cofferdam
import DequeModule

/// The items that were delivered to a subscriber last, up to a limit, so that no item is delivered twice or after its
/// deletion.
struct DeliveredItems: Sendable {
    /// A key that identifies an event: the id of its item, or the id that the client gave it.
    struct Key: Sendable, Hashable {
        var text: String
        var kind: StreamItem.Kind
        var isClientID = false
    }

    private let capacity: Int
    private var order: Deque<Key> = []
    private var keys: Set<Key> = []

    /// - Parameter memory: the number of elements to remember.
    init(memory: Int) { capacity = 2 * memory }

    var count: Int { keys.count }

    /// - Parameter items: one event, under each of its ids.
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
