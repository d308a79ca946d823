import Cofferdam
import struct Synchronization.Atomic
import protocol Synchronization.AtomicRepresentable

/// A listener to any value. Only its closure is generic, so that the work for each of ten thousand listeners looks up
/// no types.
///
/// Proof of `@unchecked Sendable`: `index` is touched only while the store's lock is held, `seen` and `missed` only by
/// the thread that drains the outbox, one at a time, `currentPause` only under `lock`; the rest is constants, atomics
/// and locks.
class AnyListener: @unchecked Sendable {
    typealias Content = any AnyObject & Sendable

    enum Phase: UInt8, AtomicRepresentable {
        case live, paused
        /// The resumption is queued behind earlier events.
        case resuming
        case gone
    }

    /// The time from `pause` to `resume`.
    final class Pause: Sendable {
        /// A pause that begins before the last resumption was delivered continues it under another number.
        let number: Int
        /// The version at the beginning: the listener knows it, unless it was paused before its turn.
        let begunAt: Int
        /// The contents at the beginning, or what the listener made of them since, and their version.
        let known: Content
        let version: Int

        init(number: Int, begunAt: Int, known: Content, version: Int) {
            self.number = number
            self.begunAt = begunAt
            self.known = known
            self.version = version
        }
    }

    final let hub: AnyListenerHub
    /// The last version that it received or made itself.
    private final var seen = -1
    /// The event that it would have received last without the pause.
    fileprivate final var missed: Content?
    /// Its index in the hub.
    final var index: Int32 = 0
    private final let phase = Atomic<Phase>(.live)
    /// Changes together with the phase; nil only while the listener is live or gone.
    private final var currentPause: Pause?
    private final let lock = Lock()

    fileprivate init(_ hub: AnyListenerHub) { self.hub = hub }

    final var isPaused: Bool { phase.load(ordering: .acquiring) == .paused }

    /// Whether it receives that version: each version once, in order, and none while it is paused or gone.
    final func accepts(_ version: Int, _ content: Content) -> Bool {
        guard version > seen else { return false }
        switch phase.load(ordering: .acquiring) {
        case .live:
            seen = version
            return true
        case .paused, .resuming: missed = content
        case .gone: break
        }
        return false
    }

    /// Notes that it made that version itself; it knows the version if it knows the previous one.
    final func noteOwnChange(to version: Int, from previous: Int) {
        if seen >= previous { seen = max(seen, version) }
    }

    /// To be called with the store's lock held.
    final func leave(_ graph: Graph) {
        lock.withLock {
            phase.store(.gone, ordering: .releasing)
            currentPause = nil
        }
        hub.remove(self, in: graph)
    }

    // MARK: Pausing

    /// To be called with the store's lock held.
    final func pause() {
        lock.withLock {
            switch phase.load(ordering: .acquiring) {
            case .live:
                currentPause = Pause(number: 0, begunAt: hub.version, known: hub.known, version: hub.version)
            case .resuming:
                currentPause = currentPause.map {
                    Pause(number: $0.number + 1, begunAt: $0.begunAt, known: $0.known, version: $0.version)
                }
            case .paused, .gone: return
            }
            phase.store(.paused, ordering: .releasing)
        }
    }

    /// What it knows while it is paused; the hub has the contents of the versions. To be called with the store's lock
    /// held.
    final var pausedAt: (known: Content, version: Int)? {
        lock.withLock { currentPause.map { ($0.known, $0.version) } }
    }

    /// Notes what it made itself while it was paused. To be called with the store's lock held.
    final func noteOwnChangeWhilePaused(_ known: Content, _ version: Int) {
        lock.withLock {
            currentPause = currentPause.map {
                Pause(number: $0.number, begunAt: $0.begunAt, known: known, version: version)
            }
        }
    }

    /// To be called with the store's lock held.
    final func resume(in graph: Graph) {
        let ended = lock.withLock { () -> Pause? in
            guard phase.load(ordering: .acquiring) == .paused else { return nil }
            phase.store(.resuming, ordering: .releasing)
            return currentPause
        }
        if let ended { queueResumption(ended, in: graph) }
    }

    /// Queues the net change since the pause began.
    fileprivate func queueResumption(_ pause: Pause, in graph: Graph) {}

    /// Ends the pause and returns whether the listener is notified again. Called by the thread that drains the outbox.
    fileprivate final func isLive(after ended: Pause) -> Bool {
        lock.withLock {
            guard phase.load(ordering: .acquiring) == .resuming, currentPause?.number == ended.number else {
                return false
            }
            currentPause = nil
            phase.store(.live, ordering: .releasing)
            return true
        }
    }

    /// Called by the thread that drains the outbox.
    fileprivate final func knows(_ version: Int) -> Bool { seen >= version }
    fileprivate final func skip(to version: Int) { seen = max(seen, version) }
}

// Proof: its closure is a constant.
final class StoreListener<Value: Sendable>: AnyListener, @unchecked Sendable {
    private let body: @Sendable (StoreEvent<Value>) -> Void

    init(_ hub: ListenerHub<Value>, _ body: @escaping @Sendable (StoreEvent<Value>) -> Void) {
        self.body = body
        super.init(hub)
    }

    func deliver(_ event: StoreEvent<Value>, version: Int) {
        if accepts(version, event.content) { body(event) }
    }

    /// Called after ``accepts(_:_:)`` has returned true.
    func call(_ event: StoreEvent<Value>) { body(event) }

    fileprivate override func queueResumption(_ pause: Pause, in graph: Graph) {
        // The hub itself creates its listeners, with what they know and miss.
        let hub = unsafeDowncast(hub, to: ListenerHub<Value>.self)
        let known = unsafeDowncast(pause.known, to: StoreEvent<Value>.Content.self).value
        let (value, version) = (hub.value, hub.version)
        let changes = version == pause.version ? nil : hub.netChanges(from: known, in: graph)
        graph.outbox.append {
            guard self.isLive(after: pause) else { return }
            let missed = self.missed.take().map { unsafeDowncast($0, to: StoreEvent<Value>.Content.self) }
            guard changes != nil || !self.knows(pause.begunAt) else { return self.skip(to: version) }
            self.deliver(
                StoreEvent(value: value, changes: changes ?? .none, context: missed?.context),
                version: version
            )
        }
    }
}
