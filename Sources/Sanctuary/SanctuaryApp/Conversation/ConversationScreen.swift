public import Cofferdam  // the screen is a message list of the kit's
import CofferdamStore
import SanctuaryDomain

/// The keepers' conversation on a screen: what was said, and what is being said.
public final class ConversationScreen: Sendable {
    /// What is shown; it follows the messages, and the animals that they mention.
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

    /// Shows everything that was said until now. If it fails, what was shown stays.
    public func load() async throws { try await conversation.all.fetch() }

    /// The same; where the vendor cannot tell, what was known before stays, and is told to be old.
    public func latest() async throws -> Latest<MessageListPresenter<ShownMessage>> {
        try await conversation.all.latest().map { _ in list }
    }

    /// Shows everything that was said, and then what happens, until the vendor's error or a cancellation ends it. After a
    /// sign-in or sign-out, which deletes the list, the next event ends it with `authenticationRequired`: follow again then.
    ///
    /// - Parameter shown: called with each update when the list shows it.
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
