public import Cofferdam  // the conversation is shown by the kit's message list
public import SanctuaryDomain  // the domain's messages

/// The keepers' conversation.
public struct ConversationFeature: Sendable {
    private let port: any Messages
    private let limits: WalkLimits
    private let makeKey: @Sendable () -> String

    init(port: any Messages, limits: WalkLimits, makeKey: @escaping @Sendable () -> String) {
        self.port = port
        self.limits = limits
        self.makeKey = makeKey
    }

    /// Everything that was said, oldest first.
    public func history() async throws -> [Message] {
        try await walk("messages", limits: limits) { try await port.messages($0) }
    }

    /// - Throws: `invalidInput` for a text of white space alone, before anything is sent.
    public func send(_ text: String) async throws -> Message {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw FeatureError(.invalidInput, "a message needs a text", subject: "text")
        }
        return try await port.send(MessageDraft(text: text, key: makeKey()))
    }

    /// Everything that was said, as one update, and then what happens, one by one; the vendor's error ends it. Nothing that
    /// the history holds is told again. Iterate it once.
    public func follow() -> ConversationUpdates { ConversationUpdates(events: port.events(), history: history) }

    /// The conversation as a list, empty until it is loaded or followed.
    ///
    /// - Parameters:
    ///   - reader: whose own messages are shown as such: an account's id.
    ///   - delegate: hears of selections and cells; held weakly.
    ///   - moment: a message's day and time, as the reader reads them.
    public func screen(
        configuration: MessageListConfiguration = MessageListConfiguration(),
        reader: String? = nil,
        delegate: (any MessageListDelegate<Message>)? = nil,
        moment: @escaping @Sendable (Instant) -> (day: String, time: String)
    ) -> ConversationScreen {
        ConversationScreen(self, configuration: configuration, delegate: delegate) { message in
            let (day, time) = moment(message.sentAt)
            let isOwn = message.author == reader
            return MessageContent(author: message.author, text: message.text, time: time, day: day, isOwn: isOwn)
        }
    }
}
