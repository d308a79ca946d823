#if Sandbox
import Synchronization

/// Delivers this client's own messages to its streams, before the server does.
final class LocalEchoes: Sendable {
    private struct Listeners: Sendable {
        var count = 0
        var all: [Int: @Sendable (MessageEvent) -> Void] = [:]
    }

    private let listeners = Mutex(Listeners())

    /// Adds a listener; returns a closure that removes it.
    func add(_ listener: @escaping @Sendable (MessageEvent) -> Void) -> @Sendable () -> Void {
        let key = listeners.withLock { listeners in
            listeners.count += 1
            listeners.all[listeners.count] = listener
            return listeners.count
        }
        return { [weak self] in self?.remove(key) }
    }

    func deliver(_ change: MessageEvent.Change, sequence: Int) {
        let event = MessageEvent(sequence: sequence, isReplay: false, change: change)
        for listener in listeners.withLock({ Array($0.all.values) }) { listener(event) }
    }

    private func remove(_ key: Int) { listeners.withLock { $0.all[key] = nil } }
}
#endif
