import Cofferdam

/// What a cell shows of a message, whatever the client's own model is.
public struct MessageContent: Sendable, Hashable {
    /// The author, as shown.
    public var author: String
    /// The text of the message.
    public var text: String
    /// The time, as shown; empty for none.
    public var time: String
    /// The day's name; empty for none.
    public var day: String
    /// Whether the reader wrote it.
    public var isOwn: Bool

    /// Creates the content of a cell.
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
    /// The client's own model.
    public let model: Model
    /// What the cell shows.
    public let content: MessageContent
    /// Whether its author is to be named: with ``MessageListConfiguration/groupsByAuthor``, only after another author's
    /// message or at the start of a day.
    public let namesAuthor: Bool
    /// Whether the message is selected.
    public let isSelected: Bool
}

extension MessageListItem: Equatable where Model: Equatable {}

/// One row of the list.
public enum MessageListRow<Model: Identifiable & Sendable>: Sendable {
    case message(MessageListItem<Model>)
    /// The day of the messages that follow.
    case day(String)
    /// The number of older messages that are not shown.
    case earlier(Int)
    /// There are no messages; the text to show instead.
    case empty(String)
}

extension MessageListRow: Equatable where Model: Equatable {}

extension MessageListRow: Identifiable {
    /// Identifies a row while it changes.
    public enum ID: Hashable {
        /// The message with that id.
        case message(Model.ID)
        /// The day of that name.
        case day(String)
        /// The number of older messages.
        case earlier
        /// The text of an empty list.
        case empty
    }

    /// Identifies the row while it changes.
    public var id: ID {
        switch self {
        case .message(let item): .message(item.model.id)
        case .day(let name): .day(name)
        case .earlier: .earlier
        case .empty: .empty
        }
    }

    /// The kinds of rows, each with a cell of its own.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A message of another author.
        case message
        /// A message of the reader.
        case ownMessage
        /// The name of a day.
        case day
        /// The number of older messages that are not shown.
        case earlier
        /// The text of an empty list.
        case empty
    }

    /// The row's kind.
    public var kind: Kind {
        switch self {
        case .message(let item): item.content.isOwn ? .ownMessage : .message
        case .day: .day
        case .earlier: .earlier
        case .empty: .empty
        }
    }
}

/// Makes the rows of a list of messages.
struct MessageListLayout<Model: Identifiable & Sendable> {
    private let configuration: MessageListConfiguration
    private let content: (Model) -> MessageContent

    init(_ configuration: MessageListConfiguration, _ content: @escaping (Model) -> MessageContent) {
        self.configuration = configuration
        self.content = content
    }

    /// - Parameter models: the oldest first.
    func rows(of models: [Model], selected: Model.ID?) -> [MessageListRow<Model>] {
        guard !models.isEmpty else { return [.empty(configuration.emptyText)] }
        let hidden = models.count - min(models.count, max(0, configuration.limit ?? .max))
        let isReversed = configuration.order == .newestFirst
        var rows: [MessageListRow<Model>] = []
        var before: MessageContent?
        for index in isReversed ? Array((hidden..<models.count).reversed()) : Array(hidden..<models.count) {
            let content = content(models[index])
            let isNewDay = configuration.showsDays && !content.day.isEmpty && content.day != before?.day
            if isNewDay { rows.append(.day(content.day)) }
            rows.append(
                .message(
                    MessageListItem(
                        model: models[index],
                        content: content,
                        namesAuthor: !configuration.groupsByAuthor || isNewDay || content.author != before?.author,
                        isSelected: models[index].id == selected
                    )
                )
            )
            before = content
        }
        guard hidden > 0 else { return rows }
        return isReversed ? rows + [.earlier(hidden)] : [.earlier(hidden)] + rows
    }
}
