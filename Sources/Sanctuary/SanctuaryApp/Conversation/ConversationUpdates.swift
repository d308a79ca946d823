public import SanctuaryDomain  // the domain's messages

/// What is told to those who follow the conversation.
public enum ConversationUpdate: Sendable, Hashable {
    /// Everything that was said until now, oldest first: the first update, and only that.
    case history([Message])
    case received(Message)
    case deleted(MessageID)
}

/// The conversation's history and its events, for `for try await`.
public struct ConversationUpdates: AsyncSequence, Sendable {
    public typealias Element = ConversationUpdate
    public typealias Failure = any Error
    private let events: any AsyncSequence<MessageEvent, any Error> & Sendable
    private let history: @Sendable () async throws -> [Message]

    /// - Parameters:
    ///   - events: subscribed to before the history is read, so that nothing is missed between the two.
    init(
        events: any AsyncSequence<MessageEvent, any Error> & Sendable,
        history: @escaping @Sendable () async throws -> [Message]
    ) {
        self.events = events
        self.history = history
    }

    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator(), history: history) }

    public struct Iterator: AsyncIteratorProtocol {
        private var events: any AsyncIteratorProtocol<MessageEvent, any Error>
        private let history: @Sendable () async throws -> [Message]
        /// What the history told, and an event may tell again; nil until the history has been read.
        private var told: Set<MessageID>?

        fileprivate init(
            events: any AsyncIteratorProtocol<MessageEvent, any Error>,
            history: @escaping @Sendable () async throws -> [Message]
        ) {
            self.events = events
            self.history = history
        }

        public mutating func next() async throws -> ConversationUpdate? { try await next(isolation: #isolation) }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> ConversationUpdate? {
            guard told != nil else {
                let messages = try await history()
                told = Set(messages.map(\.id))
                return .history(messages)
            }
            while let event = try await events.next(isolation: actor) {
                switch event {
                case .received(let message):
                    if told?.remove(message.id) == nil { return .received(message) }
                case .deleted(let id):
                    return .deleted(id)
                }
            }
            return nil
        }
    }
}
