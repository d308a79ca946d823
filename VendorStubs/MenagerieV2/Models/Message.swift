#if Sandbox
public struct Message: Sendable, Hashable, Identifiable, Codable {
    public var id: String
    /// The sender's id from before the server knew the message.
    public var localId: String?
    /// The position in the server's order; 0 under a temporary id.
    public var sequence: Int
    public var author: String
    public var text: String
    /// RFC 3339.
    public var sentAt: String

    public init(id: String, localId: String? = nil, sequence: Int, author: String, text: String, sentAt: String) {
        self.id = id
        self.localId = localId
        self.sequence = sequence
        self.author = author
        self.text = text
        self.sentAt = sentAt
    }
}

/// A change to the conversation.
public struct MessageEvent: Sendable, Hashable {
    public var sequence: Int
    /// Whether the event is one of the last 50, which are replayed on each connection.
    public var isReplay: Bool
    public var change: Change

    public init(sequence: Int, isReplay: Bool, change: Change) {
        self.sequence = sequence
        self.isReplay = isReplay
        self.change = change
    }

    public enum Change: Sendable, Hashable {
        case message(Message)
        case deleted(id: String)
        /// The message that this client sent under a temporary id is now this message.
        case acknowledged(temporaryId: String, Message)
    }
}
#endif
