import Cofferdam

/// What a mutant has met before.
final class Seen<Value: Hashable & Sendable>: Sendable {
    private let values = Mutex<Set<Value>>([])

    /// Whether the value is met for the first time; from now on it is not.
    func isNew(_ value: Value) -> Bool { values.withLock { $0.insert(value).inserted } }

    func contains(_ value: Value) -> Bool { values.withLock { $0.contains(value) } }
}
