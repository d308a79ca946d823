public import Cofferdam  // listeners' tokens

/// The current value and its changes, read-only. A ``ProviderSource`` sets the value.
///
/// Safe to use from any task. It keeps no listener and no sequence alive.
public struct Provider<Value: Sendable>: Sendable {
    private let hub: any ProviderHub<Value>

    package init(_ hub: some ProviderHub<Value>) { self.hub = hub }

    /// The current value, or the last one after the source was released.
    public var current: Value { hub.current }

    /// Calls `body` with the current value, before this returns unless a delivery is in progress, and then with every change,
    /// in order and one at a time, for as long as the token is held.
    ///
    /// `body` runs on the thread that changes the value. It may set values and add and remove listeners: the effects are
    /// delivered after it returns.
    public func listen(_ body: @escaping @Sendable (Value) -> Void) -> ListenerToken {
        hub.listen(body, end: nil)
    }

    /// The current value and then later ones: a slow consumer skips to the latest and never misses the last. Consumers are
    /// independent. Ends when the source is released, or at once when the task is cancelled.
    public var states: ProviderStates<Value> { ProviderStates(hub: hub) }

    /// The current value and then **every** later one, buffered for each consumer. Consumers are independent. Ends when
    /// the source is released, or at once when the task is cancelled.
    ///
    /// - Parameter limit: a consumer that falls more values behind skips to the latest.
    public func values(limit: Int = 1024) -> ProviderValues<Value> { ProviderValues(hub: hub, limit: limit) }
}

/// The storage behind a ``Provider``.
package protocol ProviderHub<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    var current: Value { get }

    /// - Parameter end: called when the source has gone, after the last value; may be called again.
    func listen(_ body: @escaping @Sendable (Value) -> Void, end: (@Sendable () -> Void)?) -> ListenerToken

    /// The newest value, as soon as it is newer than `seen`; nil at the end, and on cancellation.
    ///
    /// - Parameter seen: the version that the consumer has; negative at first.
    func next(after seen: inout Int) async -> Value?
}

/// Sets the value of a ``Provider``. When it is released, the provider's sequences end.
public final class ProviderSource<Value: Sendable>: Sendable {
    package let core: ProviderCore<Value>

    /// Creates a source with its first value.
    public init(_ value: Value) { core = ProviderCore(value) }

    deinit { core.finish() }

    /// The provider of the value.
    public var provider: Provider<Value> { Provider(core) }

    /// The current value.
    public var current: Value { core.current }

    /// How many sequences wait for a value now.
    package var waitingCount: Int { core.waitingCount }

    /// How many listeners are registered now.
    package var listenerCount: Int { core.listenerCount }

    /// Sets the value and notifies listeners.
    public func set(_ value: Value) {
        core.queue(value)
        core.deliver()
    }

    /// Reads and changes the value as one step. `change` runs under a lock: keep it short and do not use the source in it.
    @discardableResult
    public func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        defer { core.deliver() }
        return core.post(change)
    }

    /// Sets the value and notifies listeners, unless the value is equal to the current one.
    public func setIfChanged(_ value: Value) where Value: Equatable {
        core.post(unlessEqualTo: value)
        core.deliver()
    }

    /// Sets the value without notifying yet, for callers that hold a lock; call ``deliver()`` afterwards.
    package func post(_ value: Value) { core.queue(value) }

    package func deliver() { core.deliver() }
}

/// A provider's values, for `for await`: the latest that this consumer has not seen yet.
public struct ProviderStates<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence never throws.
    public typealias Failure = Never
    fileprivate let hub: any ProviderHub<Element>

    init(hub: any ProviderHub<Element>) { self.hub = hub }

    /// Starts an iteration at the current value.
    public func makeAsyncIterator() -> Iterator { Iterator(hub: hub) }

    /// An iteration with its own place. It keeps only the newest value it has not delivered.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let hub: any ProviderHub<Element>
        private var seen = -1

        fileprivate init(hub: any ProviderHub<Element>) { self.hub = hub }

        /// Waits for the next value; nil once the provider has ended or the task is cancelled.
        public mutating func next() async -> Element? { await hub.next(after: &seen) }

        /// As ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            await hub.next(after: &seen)
        }
    }
}

/// A provider's values, for `for await`: every one of them since the iteration began.
public struct ProviderValues<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence never throws.
    public typealias Failure = Never
    private let hub: any ProviderHub<Element>
    private let limit: Int

    init(hub: any ProviderHub<Element>, limit: Int) {
        self.hub = hub
        self.limit = limit
    }

    /// Subscribes: values are kept from now on until they are fetched, or the iterator is dropped.
    public func makeAsyncIterator() -> Iterator {
        let buffer = EventBuffer<Element>(limit: limit)
        let token = hub.listen { value in
            buffer.send(value, restart: { value })
        } end: {
            buffer.finish()
        }
        buffer.onTermination { token.cancel() }
        return Iterator(events: buffer.events.makeAsyncIterator())
    }

    /// An iteration with its own buffer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: EventStream<Element>.Iterator

        /// Waits for the next value; nil once the provider has ended or the task is cancelled.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        /// As ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            // The buffer throws nothing but cancellation, which ends the iteration.
            do { return try await events.next(isolation: actor) } catch { return nil }
        }
    }
}
