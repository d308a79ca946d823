/// A chat message between keepers.
public struct Message: Sendable, Hashable, Identifiable {
    public let id: MessageID
    public var author: String
    public var text: String
    public var sentAt: Instant

    public init(id: MessageID, author: String, text: String, sentAt: Instant) {
        self.id = id
        self.author = author
        self.text = text
        self.sentAt = sentAt
    }
}

public struct MessageID: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    public var description: String { rawValue }
}

/// A message to send.
public struct MessageDraft: Sendable, Hashable {
    public var text: String
    /// Identifies this attempt: it becomes the message's id if the vendor lets the client choose it.
    public var key: String

    public init(text: String, key: String) {
        self.text = text
        self.key = key
    }

    /// Validates what needs no vendor: every adapter applies the same checks before anything is sent.
    ///
    /// - Throws: `invalidRequest`, naming the field, for an empty text or key.
    public func validate() throws(SanctuaryError) {
        guard !text.isEmpty else { throw SanctuaryError(.invalidRequest, "a message needs text", subject: "text") }
        guard !key.isEmpty else { throw SanctuaryError(.invalidRequest, "a message needs a key", subject: "key") }
    }
}

/// A change to the conversation.
public enum MessageEvent: Sendable, Hashable {
    case received(Message)
    case deleted(MessageID)
}
