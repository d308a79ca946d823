import CofferdamStore
import Synchronization

/// A model without children.
struct Record: StoreModel {
    var id: Int
    var value: Int
    var name = "record"
}

/// A listener's work: next to nothing.
final class CallCount: Sendable {
    private let count = Atomic<Int>(0)

    @discardableResult
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }
}
