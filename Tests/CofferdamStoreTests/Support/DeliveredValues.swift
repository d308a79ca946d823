import Cofferdam
import CofferdamStore

/// Records the last value that was delivered to each listener.
final class DeliveredValues<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
    private struct State {
        var last: [Key: Value] = [:]
        var hasRepeated = false
        var hasFailed = false
    }

    private let state = Mutex(State())

    func last(_ key: Key) -> Value? { state.withLock { $0.last[key] } }
    /// Whether a listener received the same value twice in a row.
    var hasRepeated: Bool { state.withLock { $0.hasRepeated } }
    /// Whether the steps of a collection did not lead to its elements.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    func add(_ key: Key, _ value: Value) {
        state.withLock { state in
            if state.last[key] == value { state.hasRepeated = true }
            state.last[key] = value
        }
    }

    /// Records a value that the listener has set itself.
    func knows(_ key: Key, _ value: Value) { state.withLock { $0.last[key] = value } }

    /// Applies the steps, and compares the result with the elements.
    func apply<Model: StoreModel>(_ key: Key, _ new: CollectionState<Model>) where Value == [Model] {
        state.withLock { state in
            let elements = Array(new.elements)
            if state.last[key] == elements { state.hasRepeated = true }
            if case .steps(let steps) = new.change {
                var ids = (state.last[key] ?? []).map { Optional($0.id) }
                for step in steps {
                    switch step {
                    case .insert(let index) where index <= ids.count: ids.insert(nil, at: index)
                    case .update(let index) where index < ids.count: ids[index] = nil
                    case .remove(let index) where index < ids.count: ids.remove(at: index)
                    default: state.hasFailed = true
                    }
                }
                if ids.count != elements.count { state.hasFailed = true }
                if !zip(ids, elements).allSatisfy({ $0 == nil || $0 == $1.id }) { state.hasFailed = true }
            }
            state.last[key] = elements
        }
    }
}
