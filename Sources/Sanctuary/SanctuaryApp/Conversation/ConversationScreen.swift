public import Cofferdam  // the screen is a message list of the kit's
public import SanctuaryDomain  // of the domain's messages

/// The keepers' conversation on a screen: what was said, and what is being said.
public final class ConversationScreen: Sendable {
    /// What is shown; it follows the messages.
    public let list: MessageListPresenter<Message>
    private let conversation: ConversationFeature
    private let messages = ProviderSource<[Message]>([])

    init(
        _ conversation: ConversationFeature,
        configuration: MessageListConfiguration,
        delegate: (any MessageListDelegate<Message>)?,
        content: @escaping @Sendable (Message) -> MessageContent
    ) {
        self.conversation = conversation
        list = MessageListPresenter(
            messages.provider,
            configuration: configuration,
            delegate: delegate,
            content: content
        )
    }

    /// Shows everything that was said until now. If it fails, what was shown stays.
    public func load() async throws { messages.set(try await conversation.history()) }

    /// Shows everything that was said, and then what happens, until the vendor's error or a cancellation ends it.
    ///
    /// - Parameter shown: called with each update when the list shows it.
    public func follow(_ shown: (ConversationUpdate) throws -> Void = { _ in }) async throws {
        for try await update in conversation.follow() {
            messages.update { $0.apply(update) }
            try shown(update)
        }
    }
}

extension [Message] {
    /// A message that is there already is not there twice.
    fileprivate mutating func apply(_ update: ConversationUpdate) {
        switch update {
        case .history(let messages): self = messages
        case .received(let message):
            if let index = firstIndex(where: { $0.id == message.id }) {
                self[index] = message
            } else {
                append(message)
            }
        case .deleted(let id): removeAll { $0.id == id }
        }
    }
}
