import Cofferdam

/// The events that were delivered to a subscriber last, so that no item is delivered twice or after its deletion. When
/// there are too many, the older half is forgotten.
struct DeliveredItems: Sendable {
    /// A key that identifies an event: the id of its item, or the id that the client gave it.
    struct Key: Sendable, Hashable {
        var text: String
        var kind: StreamItem.Kind
        var isClientID = false

        /// By the text alone: few keys differ in the rest only.
        func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }

    private let capacity: Int
    private var newer: Set<Key> = []
    private var older: Set<Key> = []
    private var hasDeletions = false

    /// - Parameter memory: the number of elements to remember, at least.
    init(memory: Int) { capacity = 2 * memory }

    /// - Returns: whether none of its ids was known.
    @discardableResult
    mutating func add(_ event: StreamEvent) -> Bool {
        // The ids of an echo are partly those of its original, so all are looked up before any is added.
        let isKnown = event.others.isEmpty ? nil : contains(event)
        let isNew = add(event.item)
        for item in event.others { add(item) }
        if newer.count >= capacity {
            swap(&newer, &older)
            newer.removeAll(keepingCapacity: true)
        }
        return isKnown.map { !$0 } ?? isNew
    }

    @discardableResult
    private mutating func add(_ item: StreamItem) -> Bool {
        if item.kind == .deletion { hasDeletions = true }
        let isNew = add(item.key)
        return item.clientKey.map { add($0) } ?? true && isNew
    }

    private mutating func add(_ key: Key) -> Bool { !older.contains(key) && newer.insert(key).inserted }

    mutating func removeAll() { (newer, older) = ([], []) }

    private func contains(_ key: Key) -> Bool { newer.contains(key) || older.contains(key) }

    func contains(_ event: StreamEvent) -> Bool {
        event.contains { contains($0.key) || $0.clientKey.map(contains) ?? false }
    }

    func hasDeletion(of event: StreamEvent) -> Bool {
        hasDeletions && event.contains { $0.kind != .deletion && contains(Key(text: $0.id, kind: .deletion)) }
    }
}

/// An event under each of its ids: an echo has another id than its original.
struct StreamEvent: Sendable {
    let item: StreamItem
    var others: [StreamItem] = []

    init(_ item: StreamItem) { self.item = item }

    func contains(where isMatch: (StreamItem) -> Bool) -> Bool { isMatch(item) || others.contains(where: isMatch) }
}

extension StreamItem {
    var key: DeliveredItems.Key { DeliveredItems.Key(text: id, kind: kind) }
    var clientKey: DeliveredItems.Key? {
        clientID.map { DeliveredItems.Key(text: $0, kind: kind, isClientID: true) }
    }
    var keys: [DeliveredItems.Key] { [key] + (clientKey.map { [$0] } ?? []) }
}
