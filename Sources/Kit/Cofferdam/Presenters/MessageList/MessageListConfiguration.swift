/// How a list of messages is shown; everything has a default.
///
///     let configuration = MessageListConfiguration.defaults { $0.limit = 50 }
public struct MessageListConfiguration: Sendable, Hashable {
    public enum Order: Sendable, Hashable, CaseIterable {
        case oldestFirst, newestFirst
    }

    /// Above the list; empty for none.
    public var title = ""
    public var order = Order.oldestFirst
    /// How many messages are shown at the most, the newest of them; how many there are before is told. Nil for all.
    public var limit: Int?
    /// Whether a day is named where it begins.
    public var showsDays = true
    /// Whether an author is named once for messages in a row.
    public var groupsByAuthor = true
    /// What stands in place of no messages.
    public var emptyText = "no messages yet"

    public init() {}

    /// The defaults, but for what `change` changes.
    public static func defaults(_ change: (inout MessageListConfiguration) -> Void) -> MessageListConfiguration {
        var configuration = MessageListConfiguration()
        change(&configuration)
        return configuration
    }
}
