import Cofferdam
public import CofferdamState  // the conversation is a loadable, and shown by the kit's message list
import CofferdamStore
public import SanctuaryDomain  // the domain's messages

/// The keepers' conversation.
public struct ConversationFeature: Sendable {
    /// All messages, oldest first.
    public var all: Loadable<[ShownMessage]> { list.loadable }

    let list: StoreList<ShownMessage>
    private let port: any Messages
    private let makeKey: @Sendable () -> String

    init(port: any Messages, list: StoreList<ShownMessage>, makeKey: @escaping @Sendable () -> String) {
        self.port = port
        self.list = list
        self.makeKey = makeKey
    }

    /// Reads all messages from the vendor, oldest first.
    public func history() async throws -> [Message] { try await all.fetch().map(\.message) }

    /// Reads all messages from the vendor; if that fails, returns those loaded before.
    public func latest() async throws -> Latest<[Message]> { try await all.latest().map { $0.map(\.message) } }

    /// Sends a message, and appends it to ``all`` if that is loaded.
    ///
    /// - Throws: `invalidInput` for a text that is empty or only white space, before anything is sent.
    public func send(_ text: String) async throws -> Message {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw FeatureError(.invalidInput, "a message needs text", subject: "text")
        }
        let epoch = list.epoch
        let message = try await port.send(MessageDraft(text: text, key: makeKey()))
        list.put(ShownMessage(message), epoch: epoch)
        return message
    }

    /// All messages so far as one update, and then every event; the vendor's error ends the sequence. Messages of the
    /// history are not repeated as events. Iterate it once.
    public func follow() -> ConversationUpdates {
        // Not `fetch()`: a fetch in progress may have read the list before the subscription began.
        ConversationUpdates(events: port.events()) { [all] in try await all.refetch().map(\.message) }
    }

    /// Returns a screen of the conversation, which shows the messages known so far until it is loaded or followed.
    ///
    /// - Parameters:
    ///   - reader: the id of the account whose messages are shown as its own.
    ///   - delegate: receives selections and cells; held weakly.
    ///   - moment: formats a message's day and time for the reader.
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
