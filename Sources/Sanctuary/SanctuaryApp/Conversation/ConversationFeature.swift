public import Cofferdam  // the conversation is a loadable, and shown by the kit's message list
import CofferdamStore
public import SanctuaryDomain  // the domain's messages

/// The keepers' conversation.
public struct ConversationFeature: Sendable {
    /// Everything that was said, oldest first.
    public var all: Loadable<[ShownMessage]> { list.loadable }

    let list: StoreList<ShownMessage>
    private let port: any Messages
    private let makeKey: @Sendable () -> String

    init(port: any Messages, list: StoreList<ShownMessage>, makeKey: @escaping @Sendable () -> String) {
        self.port = port
        self.list = list
        self.makeKey = makeKey
    }

    /// Everything that was said, oldest first, from the vendor.
    public func history() async throws -> [Message] { try await all.fetch().map(\.message) }

    /// The same; where the vendor cannot tell, what was known before.
    public func latest() async throws -> Latest<[Message]> { try await all.latest().map { $0.map(\.message) } }

    /// Sends a message; it is in ``all`` then, if that is loaded.
    ///
    /// - Throws: `invalidInput` for a text of white space alone, before anything is sent.
    public func send(_ text: String) async throws -> Message {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw FeatureError(.invalidInput, "a message needs a text", subject: "text")
        }
        let epoch = list.epoch
        let message = try await port.send(MessageDraft(text: text, key: makeKey()))
        list.put(ShownMessage(message), epoch: epoch)
        return message
    }

    /// Everything that was said, as one update, and then what happens, one by one; the vendor's error ends it. Nothing that
    /// the history holds is told again. Iterate it once.
    public func follow() -> ConversationUpdates {
        // A run that goes on already may have read the list before the subscription.
        ConversationUpdates(events: port.events()) { [all] in try await all.refetch().map(\.message) }
    }

    /// The conversation as a list, which shows what is known of it until it is loaded or followed.
    ///
    /// - Parameters:
    ///   - reader: whose own messages are shown as such: an account's id.
    ///   - delegate: hears of selections and cells; held weakly.
    ///   - moment: a message's day and time, as the reader reads them.
    public func screen(
        configuration: MessageListConfiguration = MessageListConfiguration(),
        reader: String? = nil,
        delegate: (any MessageListDelegate<ShownMessage>)? = nil,
        moment: @escaping @Sendable (Instant) -> (day: String, time: String)
    ) -> ConversationScreen {
        ConversationScreen(self, configuration: configuration, delegate: delegate) { shown in
            let message = shown.shown
            let (day, time) = moment(message.sentAt)
            let isOwn = message.author == reader
            return MessageContent(author: message.author, text: message.text, time: time, day: day, isOwn: isOwn)
        }
    }
}
