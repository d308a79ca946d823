import CofferdamStore
import TestSupport

/// A store's listener, and beside it what such a listener should be told.
final class SlowListener<Value: Equatable & Sendable>: AnySlowListener {
    private struct Told: Equatable {
        var value: Value
        var context: Int?
        var changes: SlowChanges
    }

    let name: String
    let roots: SlowStore.Roots
    let listening: StoreListenerToken
    /// What there is to be told of.
    private let truth: (SlowStore) -> Value
    /// All that is in it.
    private let contents: (Value) -> SlowStore
    private let hasMade: (Value) -> Void
    private let told = Log<Told>()
    private var expected: [Told]
    /// What it was told, or has made itself.
    private var known: Value
    /// The context of the last update that it was not told.
    private var missed: Int?

    /// - Parameters:
    ///   - read: what an event tells.
    ///   - hasMade: called with what it has made itself.
    init<Event>(
        _ name: String,
        roots: SlowStore.Roots = SlowStore.Roots(),
        in now: SlowStore,
        truth: @escaping (SlowStore) -> Value,
        contents: @escaping (Value) -> SlowStore,
        read: @escaping @Sendable (StoreEvent<Event>) -> Value,
        hasMade: @escaping (Value) -> Void = { _ in },
        listen: (@escaping @Sendable (StoreEvent<Event>) -> Void) -> StoreListenerToken
    ) {
        (self.name, self.roots, self.truth, self.contents, self.hasMade) = (name, roots, truth, contents, hasMade)
        listening = listen { [told] event in
            told.add(
                Told(value: read(event), context: event.context as? Int, changes: SlowChanges(event.changes))
            )
        }
        known = truth(now)
        expected = [Told(value: known, context: nil, changes: SlowChanges(.none))]
    }

    func follow(from old: SlowStore, to new: SlowStore, _ changes: SlowChanges, context: Int?, isOwn: Bool) {
        let (before, value) = (truth(old), truth(new))
        guard before != value else { return }
        switch (isOwn, listening.isPaused) {
        case (true, _) where known == before:
            known = value
            hasMade(value)
        case (true, _): break
        case (false, true): missed = context
        case (false, false):
            known = value
            expected.append(Told(value: value, context: context, changes: changes))
        }
    }

    func togglePause(_ now: SlowStore) {
        guard listening.isPaused else {
            listening.pause()
            return
        }
        listening.resume()
        let value = truth(now)
        if known != value {
            let changes = SlowChanges(from: contents(known), to: now)
            expected.append(Told(value: value, context: missed, changes: changes))
        }
        (known, missed) = (value, nil)
    }

    var problem: String? {
        let told = told.entries
        if told.count == expected.count, told.last == expected.last { return nil }
        return "\(name) was told \(told.count) times, \(told.suffix(1)), not \(expected.count), \(expected.suffix(1))"
    }
}

protocol AnySlowListener {
    var listening: StoreListenerToken { get }
    /// What it keeps a store of what is observed from forgetting.
    var roots: SlowStore.Roots { get }

    /// To be called after an update, before anything is forgotten.
    func follow(from old: SlowStore, to new: SlowStore, _ changes: SlowChanges, context: Int?, isOwn: Bool)
    func togglePause(_ now: SlowStore)
    /// How what it was told differs from what it should have been; nil if it does not.
    var problem: String? { get }
}
