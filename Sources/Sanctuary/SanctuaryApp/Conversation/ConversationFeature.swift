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
}
