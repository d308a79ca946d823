import Cofferdam
public import CofferdamState  // the screen is a message list of the kit's
import CofferdamStore
import SanctuaryDomain

/// A screen of the keepers' conversation: its history and new messages.
public final class ConversationScreen: Sendable {
    /// The list that is shown. It follows the messages, and the animals that they mention.
    public let list: MessageListPresenter<ShownMessage>
    private let conversation: ConversationFeature
    private let following: ListenerToken

    init(
        _ conversation: ConversationFeature,
        configuration: MessageListConfiguration,
        delegate: (any MessageListDelegate<ShownMessage>)?,
        content: @escaping @Sendable (ShownMessage) -> MessageContent
    ) {
        self.conversation = conversation
        let messages = ProviderSource<[ShownMessage]>([])
        list = MessageListPresenter(
            messages.provider,
            configuration: configuration,
            delegate: delegate,
            content: content
        )
        following = conversation.all.observe { messages.setIfChanged($0.contents ?? []) }
    }

    /// Shows all messages so far. If reading fails, the list stays as it is.
    public func load() async throws { try await conversation.all.fetch() }

    /// Shows all messages so far; if reading fails, the list stays as it is, and the result says that it is old.
    public func latest() async throws -> Latest<MessageListPresenter<ShownMessage>> {
        try await conversation.all.latest().map { _ in list }
    }

    /// Shows all messages so far and then every event, until the vendor's error or a cancellation ends it. A sign-in or
    /// sign-out deletes the list: the next event then throws `authenticationRequired`, and you call this again.
    ///
    /// - Parameter shown: called with each update once the list shows it.
    public func follow(_ shown: (ConversationUpdate) throws -> Void = { _ in }) async throws {
        let epoch = conversation.list.epoch
        for try await update in conversation.follow() {
            guard conversation.list.epoch == epoch else {
                throw SanctuaryError(.authenticationRequired, "the user has signed in or out")
            }
            switch update {
            case .history: break  // The list has it from the loadable.
            case .received(let message): conversation.list.put(ShownMessage(message), epoch: epoch)
            case .deleted(let id): conversation.list.remove(id)
            }
            try shown(update)
        }
    }
}
