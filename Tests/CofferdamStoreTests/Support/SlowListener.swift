import CofferdamStore
import TestSupport

/// A listener of a store, with the notifications that it should receive.
final class SlowListener<Value: Equatable & Sendable>: AnySlowListener {
    private struct Notification: Equatable {
        var value: Value
        var context: Int?
        var changes: SlowChanges
    }

    let name: String
    let roots: SlowStore.Roots
    let listening: StoreListenerToken
    /// Returns the listener's value in the model.
    private let truth: (SlowStore) -> Value
    /// Returns everything that a value contains.
    private let contents: (Value) -> SlowStore
    private let onOwnChange: (Value) -> Void
    private let received = Log<Notification>()
    private var expected: [Notification]
    /// The value that the listener was notified of or has set itself.
    private var known: Value
    /// The context of the last update that was not delivered to it.
    private var missed: Int?

    /// - Parameters:
    ///   - read: returns the value of an event.
    ///   - onOwnChange: called with the value that the listener has set itself.
    init<Event>(
        _ name: String,
        roots: SlowStore.Roots = SlowStore.Roots(),
        in now: SlowStore,
        truth: @escaping (SlowStore) -> Value,
        contents: @escaping (Value) -> SlowStore,
        read: @escaping @Sendable (StoreEvent<Event>) -> Value,
        onOwnChange: @escaping (Value) -> Void = { _ in },
        listen: (@escaping @Sendable (StoreEvent<Event>) -> Void) -> StoreListenerToken
    ) {
        (self.name, self.roots, self.truth, self.contents, self.onOwnChange) = (
            name, roots, truth, contents, onOwnChange
        )
        listening = listen { [received] event in
            received.add(
                Notification(value: read(event), context: event.context as? Int, changes: SlowChanges(event.changes))
            )
        }
        known = truth(now)
        expected = [Notification(value: known, context: nil, changes: SlowChanges(.none))]
    }

    func follow(from old: SlowStore, to new: SlowStore, _ changes: SlowChanges, context: Int?, isOwn: Bool) {
        let (before, value) = (truth(old), truth(new))
        guard before != value else { return }
        switch (isOwn, listening.isPaused) {
        case (true, _) where known == before:
            known = value
            onOwnChange(value)
        case (true, _): break
        case (false, true): missed = context
        case (false, false):
            known = value
            expected.append(Notification(value: value, context: context, changes: changes))
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
            expected.append(Notification(value: value, context: missed, changes: changes))
        }
        (known, missed) = (value, nil)
    }

    var problem: String? {
        let received = received.entries
        if received.count == expected.count, received.last == expected.last { return nil }
        return
            "\(name) was notified \(received.count) times, \(received.suffix(1)), not \(expected.count), \(expected.suffix(1))"
    }
}

protocol AnySlowListener {
    var listening: StoreListenerToken { get }
    /// The models that a store of observed models keeps because of this listener.
    var roots: SlowStore.Roots { get }

    /// Follows an update. Call it before the model forgets anything.
    func follow(from old: SlowStore, to new: SlowStore, _ changes: SlowChanges, context: Int?, isOwn: Bool)
    func togglePause(_ now: SlowStore)
    /// The difference between actual and expected notifications; nil if there is none.
    var problem: String? { get }
}
