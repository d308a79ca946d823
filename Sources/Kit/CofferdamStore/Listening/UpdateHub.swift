/// Who is told of every update. One that was paused is told that there were some.
final class UpdateHub: ListenerHub<Void>, @unchecked Sendable {
    init() { super.init((), version: 0) }

    override func netChange(from old: Void, in graph: Graph) -> (value: Void, changes: StoreChanges)? { ((), .none) }
}
