import Cofferdam
import CofferdamState

/// The value that a provider shows: the latest that the store delivered or that the provider itself, the owner, has
/// set.
///
/// Each change by the owner registers a new listener in the same turn at the store's lock and ignores what the old one
/// still receives, so no older value ever shows after the owner's change.
final class ProviderFollowing<Value: Sendable>: Sendable {
    typealias Event = StoreEvent<Value>
    typealias Listen = (_ isPaused: Bool, _ body: @escaping @Sendable (Event) -> Void) -> StoreListenerToken

    private struct State {
        var value: Value
        var lastUpdated = ChangeTime.never
        var listening: StoreListenerToken?
        /// Reads the store's current value; nil if the provider follows nothing.
        var current: (@Sendable (StoreTurn) -> Value)?
        /// The number of the current listener.
        var number = 0
        /// The number of the owner's latest request. Results of earlier requests are stale.
        var request = 0
        var isPaused = false
        var batches: [WeakBatch] = []
        /// Calls the provider's delegate.
        var handler: (@Sendable (Event) -> Void)?
    }

    private struct WeakBatch {
        weak var batch: ProviderBatch?
    }

    let store: Store
    private let state: Mutex<State>
    private let source: ProviderSource<Event>
    /// Whether both values are identical. Called for every delivery: must not compare all elements of a list.
    private let isSame: @Sendable (Value, Value) -> Bool
    private let isEqual: @Sendable (Value, Value) -> Bool

    init(
        _ value: Value,
        in store: Store,
        isSame: @escaping @Sendable (Value, Value) -> Bool,
        isEqual: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.store = store
        self.isSame = isSame
        self.isEqual = isEqual
        state = Mutex(State(value: value))
        source = ProviderSource(Event(value: value, changes: .none, context: nil))
    }

    var value: Value { state.withLock { $0.value } }
    var lastUpdated: ChangeTime { state.withLock { $0.lastUpdated } }
    var provider: Provider<Event> { source.provider }

    func onChange(_ handler: @escaping @Sendable (Event) -> Void) { state.withLock { $0.handler = handler } }

    // MARK: The owner's changes

    /// Begins a request, which makes all earlier ones stale.
    ///
    /// - Returns: the request's number.
    func request() -> Int {
        state.withLock { state in
            state.request += 1
            return state.request
        }
    }

    func isCurrent(_ request: Int) -> Bool { state.withLock { $0.request == request } }

    /// Shows a value that the owner has set in this turn, and listens to later changes. Call ``shown()`` after the
    /// turn.
    ///
    /// - Parameters:
    ///   - notification: the event to notify the delegate of, after the store's other listeners; nil does not notify it.
    ///   - current: reads the store's current value; nil if the provider follows nothing.
    /// - Returns: the token of the previous listener, to be released after the turn.
    func show(
        _ event: Event,
        notification: Event? = nil,
        in turn: StoreTurn,
        current: (@Sendable (StoreTurn) -> Value)? = nil,
        _ listen: Listen?
    ) -> StoreListenerToken? {
        let (number, isPaused) = state.withLock { state in
            state.number += 1
            state.request += 1
            return (state.number, state.isPaused)
        }
        let listening = listen?(isPaused) { [weak self] in self?.receive($0, number) }
        if let notification {
            turn.afterDeliveries { [weak self] in
                self?.notify(notification)
                self?.flushBatches()
            }
        }
        let now = turn.now()
        return state.withLock { state in
            state.value = event.value
            state.lastUpdated = now
            source.post(event)
            let old = state.listening
            state.listening = listening
            state.current = current
            return old
        }
    }

    /// Delivers the shown value to the sequences and listeners of ``provider``. Call it after the turn.
    func shown() { source.deliver() }

    // MARK: Changes made elsewhere

    private func receive(_ event: Event, _ number: Int) {
        let time = event.changes.update == 0 ? store.lastUpdate : ChangeTime(update: event.changes.update)
        let hasChanged = state.withLock { state in
            guard state.number == number, !isSame(state.value, event.value) else { return false }
            state.value = event.value
            state.lastUpdated = time
            source.post(event)
            return true
        }
        guard hasChanged else { return }
        source.deliver()
        notify(event)
    }

    private func notify(_ event: Event) {
        let handler = state.withLock { $0.handler }
        handler?(event)
    }

    // MARK: Pausing

    var isPaused: Bool { state.withLock { $0.isPaused } }

    func pause() { setPaused(true)?.pause() }

    func resume() {
        setPaused(false)?.resume()
        store.turn { turn in
            let (number, current) = state.withLock { ($0.number, $0.current) }
            let value = current?(turn)
            turn.afterDeliveries { [weak self] in
                if let value { self?.catchUp(with: value, number) }
                self?.flushBatches()
            }
        }
    }

    /// Delivers a change that the pause has swallowed: one whose delivery was in progress when the pause began arrives
    /// neither before the pause nor with the changes made during it.
    private func catchUp(with value: Value, _ number: Int) {
        guard !isEqual(self.value, value) else { return }
        receive(Event(value: value, changes: .none, context: nil), number)
    }

    /// Takes a turn of its own, so that no listener is registered in between with the old setting.
    private func setPaused(_ isPaused: Bool) -> StoreListenerToken? {
        var listening: StoreListenerToken?
        store.turn { _ in
            listening = state.withLock { state in
                state.isPaused = isPaused
                return state.listening
            }
        }
        return listening
    }

    // MARK: Batches

    func join(_ batch: ProviderBatch) { state.withLock { $0.batches.append(WeakBatch(batch: batch)) } }

    private var batches: [ProviderBatch] { state.withLock { $0.batches.compactMap(\.batch) } }

    func noteInBatches(_ event: Event, of provider: any StoreProvider) {
        for batch in batches { batch.note(provider, context: event.context) }
    }

    private func flushBatches() {
        for batch in batches where !batch.isResuming { batch.flush() }
    }
}

extension Store {
    /// The time of the last update.
    var lastUpdate: ChangeTime { withLock { ChangeTime(update: $0.transaction.number) } }
}
