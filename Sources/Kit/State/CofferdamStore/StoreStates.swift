public import Cofferdam  // events come as the kit's streams

/// The values of a model or list: first the current one, then each change. A slow consumer misses values in between, but
/// never the last one.
///
/// Each iteration has its own place. It ends when its task is cancelled.
public struct StoreStates<Value: Sendable>: AsyncSequence, Sendable {
    /// The sequence never throws.
    public typealias Failure = Never
    let listen: @Sendable (@escaping @Sendable (StoreEvent<Value>) -> Void) -> StoreListenerToken

    /// Starts an iteration at the current value; it listens until it is released.
    public func makeAsyncIterator() -> Iterator {
        let cell = StateCell()
        return Iterator(cell: cell, listening: listen { cell.put($0.content) })
    }

    /// An iteration with its own place. It keeps only the newest value it has not delivered.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let cell: StateCell
        fileprivate let listening: StoreListenerToken

        /// Waits for the next value; nil once the task is cancelled.
        public mutating func next() async -> Value? { value(in: await cell.next()) }

        /// As ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            value(in: await cell.next())
        }

        private func value(in content: StateCell.Content?) -> Value? {
            // The cell receives nothing else.
            content.map { unsafeDowncast($0, to: StoreEvent<Value>.Content.self).value }
        }
    }
}

extension Store {
    /// The model with that id as it changes; nil while there is none.
    public func states<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> StoreStates<Model?> {
        StoreStates { self.listen(type, id: id, $0) }
    }

    /// The current model with that id, and then every change with its context.
    ///
    /// - Parameter limit: a consumer that is more events behind gets one event with the current value instead of them.
    public func events<Model: StoreModel>(
        _ type: Model.Type = Model.self,
        id: Model.ID,
        limit: Int = 1024
    ) -> EventStream<StoreEvent<Model?>> {
        events(limit: limit) { self.listen(type, id: id, $0) }
    }

    func events<Value>(
        limit: Int,
        _ listen: (@escaping @Sendable (StoreEvent<Value>) -> Void) -> StoreListenerToken
    ) -> EventStream<StoreEvent<Value>> {
        let buffer = EventBuffer<StoreEvent<Value>>(limit: limit)
        let listening = listen { [weak buffer] event in
            buffer?.send(event, restart: { StoreEvent(value: event.value, changes: .none, context: event.context) })
        }
        buffer.onTermination { listening.cancel() }
        return buffer.events
    }
}

extension StoreCollection {
    /// The elements as they change.
    public var states: StoreStates<CollectionState<Model>> { StoreStates { self.listen($0) } }

    /// The current elements, and then every change with its context.
    ///
    /// - Parameter limit: a consumer that is more events behind gets one event with the current value instead of them.
    public func events(limit: Int = 1024) -> EventStream<StoreEvent<CollectionState<Model>>> {
        store.events(limit: limit) { self.listen($0) }
    }
}
