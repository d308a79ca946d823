import Cofferdam
public import CofferdamState  // the conversation is a loadable, and shown by the kit's message list
import CofferdamStore
public import SanctuaryDomain  // the domain's messages

/// The keepers' conversation.
public struct ConversationFeature: Sendable {
    /// All messages, oldest first.
    public var all: Loadable<[ShownMessage]> { list.loadable }

    let list: StoreList<ShownMessage>
    /// Nil if nothing is kept on this device.
    let unsent: UnsentMessages?
    private let port: any Messages
    private let makeKey: @Sendable () -> String

    init(
        port: any Messages,
        list: StoreList<ShownMessage>,
        unsent: UnsentMessages?,
        makeKey: @escaping @Sendable () -> String
    ) {
        self.port = port
        self.list = list
        self.unsent = unsent
        self.makeKey = makeKey
    }

    /// Reads all messages from the vendor, oldest first.
    public func history() async throws -> [Message] { try await all.fetch().map(\.message) }

    /// Reads all messages from the vendor; if that fails, returns those loaded before.
    public func latest() async throws -> Latest<[Message]> {
        try await all.latest().map { $0.filter { !$0.isPending }.map(\.message) }
    }

    /// Sends a message, after those that wait on this device, and appends it to ``all`` if that is loaded.
    ///
    /// If the vendor cannot be reached, the message waits on this device too: it is in ``all`` as pending, and is sent by
    /// ``sendUnsent()`` or before the next message. It waits for its author across launches and sign-outs.
    ///
    /// - Throws: `invalidInput` for a text that is empty or only white space, before anything is sent; `notKept` if the
    ///   device cannot keep the message.
    public func send(_ text: String) async throws -> Message {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw FeatureError(.invalidInput, "a message needs text", subject: "text")
        }
        if let unsent { return try await unsent.send(text, key: makeKey()) }
        let epoch = list.epoch
        let message = try await port.send(MessageDraft(text: text, key: makeKey()))
        list.put(ShownMessage(message), epoch: epoch)
        return message
    }

    /// Shows and sends the messages that wait on this device: call it when the app starts, after a sign-in,
    /// and when the network is back.
    ///
    /// - Throws: `notKept` if their file cannot be read or written.
    public func sendUnsent() async throws { try await unsent?.sendAll() }

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
            return MessageContent(
                author: message.author,
                text: message.text,
                time: shown.isPending ? "not sent" : time,
                day: day,
                isOwn: isOwn
            )
        }
    }
}
