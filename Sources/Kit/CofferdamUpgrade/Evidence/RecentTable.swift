/// A dictionary that remembers at least the last `capacity` keys that were added, and never holds more than twice as many:
/// when a generation is full, the one before it is forgotten.
struct RecentTable<Value: Sendable>: Sendable {
    private var current: [UInt64: Value] = [:]
    private var previous: [UInt64: Value] = [:]
    private let capacity: Int

    /// - Parameter capacity: at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { current.count + previous.count }

    /// Those that are forgotten first stand first.
    var all: [(key: UInt64, value: Value)] { previous.map { $0 } + current.map { $0 } }

    subscript(_ key: UInt64) -> Value? { current[key] ?? previous[key] }

    /// Adds or changes a key, in O(1) on the average.
    ///
    /// - Returns: how many keys were forgotten for it.
    @discardableResult
    mutating func set(_ value: Value, for key: UInt64) -> Int {
        if previous[key] != nil {
            previous[key] = value
            return 0
        }
        current[key] = value
        guard current.count >= capacity else { return 0 }
        let forgotten = previous.count
        previous = current
        current = [:]
        return forgotten
    }

    mutating func remove(_ key: UInt64) {
        if current.removeValue(forKey: key) == nil { previous[key] = nil }
    }
}
