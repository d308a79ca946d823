public import SanctuaryDomain  // the domain's messages

/// An update of the conversation.
public enum ConversationUpdate: Sendable, Hashable {
    /// All messages so far, oldest first. Only the first update is a history.
    case history([Message])
    case received(Message)
    case deleted(MessageID)
}

/// The conversation's history and events, as an asynchronous sequence.
public struct ConversationUpdates: AsyncSequence, Sendable {
    public typealias Element = ConversationUpdate
    public typealias Failure = any Error
    private let events: any AsyncSequence<MessageEvent, any Error> & Sendable
    private let history: @Sendable () async throws -> [Message]

    /// - Parameters:
    ///   - events: subscribed to before the history is read, so that no message in between is missed.
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
        /// The ids of the history's messages, which an event may repeat; nil until the history is read.
        private var idsInHistory: Set<MessageID>?

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
            guard idsInHistory != nil else {
                let messages = try await history()
                idsInHistory = Set(messages.map(\.id))
                return .history(messages)
            }
            while let event = try await events.next(isolation: actor) {
                switch event {
                case .received(let message):
                    if idsInHistory?.remove(message.id) == nil { return .received(message) }
                case .deleted(let id):
                    return .deleted(id)
                }
            }
            return nil
        }
    }
}
