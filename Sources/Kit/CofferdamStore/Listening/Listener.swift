import Cofferdam
import struct Synchronization.Atomic
import protocol Synchronization.AtomicRepresentable

/// A listener, whatever it listens to. It has no generic part but its closure: what is done for each of ten thousand listeners
/// needs no type to be looked up.
///
/// Proof of `@unchecked Sendable`: `index` is touched only while the store's lock is held, `seen` only by whoever drains the
/// outbox, which is one thread at a time, `currentPause` only under `lock`; the rest is constants, atomics and locks.
class AnyListener: @unchecked Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        case live, paused
        /// Its resumption is queued behind what was caused before.
        case resuming
        case gone
    }

    /// One from `pause` to `resume`; paused again before the resumption had its turn, it goes on as another one.
    final class Pause: Sendable {
        /// What there was when it began, and its version: the listener knows it, unless it was paused before its turn.
        let known: any AnyObject & Sendable
        let version: Int
        /// The context of the last update that it was not told, if there was one.
        let context: (any Sendable)??

        init(known: any AnyObject & Sendable, version: Int, context: (any Sendable)?? = nil) {
            self.known = known
            self.version = version
            self.context = context
        }

        func with(context: (any Sendable)??) -> Pause { Pause(known: known, version: version, context: context) }
    }

    final let hub: AnyListenerHub
    /// The version that it was told last.
    private final var seen = -1
    /// Where it stands in its hub.
    final var index: Int32 = 0
    private final let phase = Atomic<Phase>(.live)
    /// Changes together with the phase.
    private final var currentPause: Pause?
    private final let lock = Lock()

    fileprivate init(_ hub: AnyListenerHub) { self.hub = hub }

    final var isPaused: Bool { phase.load(ordering: .acquiring) == .paused }

    /// Whether it is to be told that version: each version once, in their order, and nothing while it is paused or gone.
    final func takes(_ version: Int) -> Bool {
        guard version > seen, phase.load(ordering: .acquiring) == .live else { return false }
        seen = version
        return true
    }

    /// To be called with the store's lock held.
    final func leave(_ graph: Graph) {
        let wasPaused = lock.withLock {
            defer { currentPause = nil }
            return phase.exchange(.gone, ordering: .acquiringAndReleasing) == .paused
        }
        if wasPaused { hub.pausedCount -= 1 }
        hub.remove(self, in: graph)
    }

    // MARK: Pausing

    /// To be called with the store's lock held.
    final func pause() {
        let isPaused = lock.withLock {
            switch phase.load(ordering: .acquiring) {
            case .live: currentPause = Pause(known: hub.known, version: hub.version)
            case .resuming: currentPause = currentPause.map { $0.with(context: $0.context) }
            case .paused, .gone: return false
            }
            phase.store(.paused, ordering: .releasing)
            return true
        }
        if isPaused { hub.pausedCount += 1 }
    }

    /// To be called with the store's lock held.
    final func resume(in graph: Graph) {
        let ended = lock.withLock {
            guard phase.load(ordering: .acquiring) == .paused, let begun = currentPause else { return nil as Pause? }
            phase.store(.resuming, ordering: .releasing)
            currentPause = begun.with(context: hub.lastContext ?? begun.context)
            return currentPause
        }
        guard let ended else { return }
        queueResumption(ended, in: graph)
        hub.pausedCount -= 1
    }

    /// Queues the net change since then.
    fileprivate func queueResumption(_ pause: Pause, in graph: Graph) {}

    /// Whether it is told again from now on, because that pause is over. To be called by whoever drains the outbox.
    fileprivate final func isLive(after ended: Pause) -> Bool {
        lock.withLock {
            guard phase.load(ordering: .acquiring) == .resuming, currentPause === ended else { return false }
            currentPause = nil
            phase.store(.live, ordering: .releasing)
            return true
        }
    }

    /// To be called by whoever drains the outbox.
    fileprivate final func knows(_ version: Int) -> Bool { seen >= version }
    fileprivate final func skip(to version: Int) { seen = max(seen, version) }
}

// Proof: its closure is a constant.
final class Listener<Value: Sendable>: AnyListener, @unchecked Sendable {
    private let body: @Sendable (StoreEvent<Value>) -> Void

    init(_ hub: ListenerHub<Value>, _ body: @escaping @Sendable (StoreEvent<Value>) -> Void) {
        self.body = body
        super.init(hub)
    }

    func deliver(_ event: StoreEvent<Value>, version: Int) {
        if takes(version) { body(event) }
    }

    /// For whoever has asked whether it takes the event.
    func call(_ event: StoreEvent<Value>) { body(event) }

    fileprivate override func queueResumption(_ pause: Pause, in graph: Graph) {
        // A hub makes its own listeners, and what they know.
        let hub = unsafeDowncast(hub, to: ListenerHub<Value>.self)
        let known = unsafeDowncast(pause.known, to: StoreEvent<Value>.Content.self).value
        let (net, version) = (hub.netChange(from: known, in: graph), hub.version)
        let event = StoreEvent(
            value: net?.value ?? hub.value,
            changes: net?.changes ?? .none,
            context: pause.context ?? nil
        )
        graph.outbox.append {
            guard self.isLive(after: pause) else { return }
            let isNews = net != nil || !self.knows(pause.version)
            if isNews { self.deliver(event, version: version) } else { self.skip(to: version) }
        }
    }
}
