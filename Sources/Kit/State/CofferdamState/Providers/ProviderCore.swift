package import Cofferdam
import CofferdamSupport
import struct Synchronization.Atomic

/// What a provider, its source, its listeners and its sequences share: the value, and the consumers that wait for the
/// next one.
///
/// Values change under the lock, and their order is the order of deliveries. Listeners are called outside of it, by one
/// thread at a time: a value set inside a callback is queued, not nested.
package final class ProviderCore<Value: Sendable>: Sendable {
    private typealias State = ProviderState<Value>
    typealias Slots = ProviderState<Value>.Slots

    private let state: Mutex<State>
    private let fence = SanitizerFence()

    package init(_ value: Value) { state = Mutex(State(latest: State.Versioned(value: value, version: 0))) }

    package var current: Value { state.withLock { $0.latest.value } }

    /// Grows with each change, for ``next(after:)``.
    var version: Int { state.withLock { $0.latest.version } }

    /// Changes the value and queues its deliveries, without calling listeners: the caller may hold a lock of its own.
    /// Call ``deliver()`` afterwards, without that lock.
    package func post<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        state.withLock { state in
            let result = change(&state.latest.value)
            state.publish()
            return result
        }
    }

    /// As ``post(_:)``, but replaces the whole value; ``deliver()`` frees the old one.
    func queue(_ value: Value) {
        state.withLock { state in
            state.replace(by: value)
            state.publish()
        }
    }

    /// Queues the value's deliveries unless there is an equal one already.
    func post(unlessEqualTo value: Value) where Value: Equatable {
        state.withLock { state in
            guard state.latest.value != value else { return }
            state.replace(by: value)
            state.publish()
        }
    }

    /// As ``queue(_:)``, but to be followed by ``deliver(_:to:)``.
    ///
    /// - Returns: the old value, for the caller to free, and the listeners that it has to call; nil if the calls are
    ///   queued.
    func post(_ value: Value) -> (replaced: Value, listeners: Slots?) {
        state.withLock { state in (exchange(&state.latest.value, with: value), state.publishAtOnce()) }
    }

    func deliver(_ value: Value, to slots: Slots?) {
        guard let slots else { return deliver() }
        Self.call(slots, value, upTo: .max)
        if !state.withLock({ $0.end() }) { deliverQueue() }
    }

    /// Gives the value to the waiting consumers, and calls the listeners unless another thread is doing that already.
    package func deliver() {
        let (woken, isTurn, replaced) = state.withLock { ($0.wake(), $0.begin(), $0.takeReplaced()) }
        withExtendedLifetime(replaced) {}
        if let woken {
            fence.release()
            for waiter in woken.waiters { waiter.element?.resume(returning: woken.latest) }
        }
        if isTurn { deliverQueue() }
    }

    @inline(never)
    private func deliverQueue() {
        while true {
            switch state.withLock({ $0.next() }) {
            case .first(let value, let listener): if listener.isListening { listener.call(value) }
            case .change(let value, let slots, let last): Self.call(slots, value, upTo: last)
            case .end(let slots):
                for slot in slots { if let listener = slot.element, listener.isListening { listener.end() } }
            case .free(let left): withExtendedLifetime(left) {}
            case .done: return
            }
        }
    }

    private static func call(_ slots: Slots, _ value: Value, upTo last: Int) {
        // Elements behind a pointer are borrowed; those of the array itself would each be retained and released.
        slots.withUnsafeBufferPointer { slots in
            guard let first = slots.baseAddress else { return }
            for index in slots.indices {
                guard first[index].key <= last else { return }
                // Proof: the caller holds the array, and the array the listener.
                first[index].borrowed()?._withUnsafeGuaranteedRef { if $0.isListening { $0.call(value) } }
            }
        }
    }

    /// - Parameter end: called when the source has gone, after the last value; may be called again.
    package func listen(
        _ body: @escaping @Sendable (Value) -> Void,
        end: (@Sendable () -> Void)? = nil
    ) -> ListenerToken {
        add(ClosureListener(body, end: end))
    }

    func add(_ listener: Listener<Value>) -> ListenerToken {
        let key = state.withLock { $0.add(listener) }
        let token = ListenerToken(key, of: self)
        if state.withLock({ $0.begin() }) { deliverQueue() }
        return token
    }

    /// Ends the sequences and listeners after the last value.
    package func finish() {
        state.withLock { $0.finish() }
        deliver()
    }

    /// The newest value, as soon as it is newer than `seen`; nil at the end, and on cancellation.
    package func next(after seen: inout Int) async -> Value? {
        while !Task.isCancelled {
            guard let latest = await change(after: seen) else { return nil }
            // A waiting consumer may be resumed with a value that it has taken already.
            guard latest.version > seen else { continue }
            seen = latest.version
            return latest.value
        }
        return nil
    }

    /// The latest value: at once if it is newer than `seen`, otherwise at the next delivery; nil at the end, and when
    /// the task is cancelled.
    private func change(after seen: Int) async -> State.Versioned? {
        let key = Atomic(0)
        // Proof of one resumption: a continuation leaves `waiters` under the lock, in `deliver` or on cancellation, and only
        // the code that took it out resumes it; one that was not stored is resumed here.
        let latest = await withTaskCancellationHandler {
            await withUnsafeContinuation { (waiter: State.Waiter) in
                let (isParked, latest) = state.withLock { state -> (Bool, State.Versioned?) in
                    if state.latest.version > seen { return (false, state.latest) }
                    if state.isFinished || Task.isCancelled { return (false, nil) }
                    key.store(state.waiters.add(waiter), ordering: .relaxed)
                    return (true, nil)
                }
                if !isParked { waiter.resume(returning: latest) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.remove(key.load(ordering: .relaxed)) }
            waiter?.resume(returning: nil)
        }
        fence.acquire()
        return latest
    }

    /// How many sequences are waiting for a value now.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// How many listeners are registered now.
    package var listenerCount: Int { state.withLock { $0.listenerCount } }
}

extension ProviderCore: ProviderHub {}

extension ProviderCore: ListenerHost {
    package func removeListener(_ key: Int) {
        // Freed without the lock.
        let left = state.withLock { $0.remove(key) }
        withExtendedLifetime(left) {}
    }
}

extension SparseList.Slot {
    /// The listener, without a retain and a release; valid for as long as the list that contains it is held.
    @inline(__always)
    fileprivate func borrowed<Value>() -> Unmanaged<Listener<Value>>? where Element == Listener<Value> {
        element.map { Unmanaged.passUnretained($0) }
    }
}
