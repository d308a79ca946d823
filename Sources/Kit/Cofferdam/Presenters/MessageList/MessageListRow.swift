/// What a cell shows of a message, whatever the client's own model is.
public struct MessageContent: Sendable, Hashable {
    public var author: String
    public var text: String
    /// As it is to be read; empty for none.
    public var time: String
    /// The day's name; empty for none.
    public var day: String
    /// Whether the reader wrote it.
    public var isOwn: Bool

    public init(author: String, text: String, time: String = "", day: String = "", isOwn: Bool = false) {
        self.author = author
        self.text = text
        self.time = time
        self.day = day
        self.isOwn = isOwn
    }
}

/// One message of the list.
public struct MessageListItem<Model: Identifiable & Sendable>: Sendable {
    /// The client's own.
    public let model: Model
    public let content: MessageContent
    /// Its place among all messages, the oldest first.
    public let index: Int
    /// Whether its author is to be named: not where the message before is the same author's.
    public let namesAuthor: Bool
    public let isSelected: Bool
}

extension MessageListItem: Equatable where Model: Equatable {}

/// One row of the list.
public enum MessageListRow<Model: Identifiable & Sendable>: Sendable {
    case message(MessageListItem<Model>)
    /// The messages that follow are of that day.
    case day(String)
    /// So many older messages are not shown.
    case earlier(Int)
    /// There are no messages.
    case empty(String)
}

extension MessageListRow: Equatable where Model: Equatable {}
