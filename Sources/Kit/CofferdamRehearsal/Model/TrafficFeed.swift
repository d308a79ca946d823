/// Something that users follow while they do other things: a stream in which items are told, each once and in one order.
///
/// ```swift
/// TrafficFeed("messages", publish: send, record: { try await allMessages().map(\.text) }) { services in
///     services.messages.events()
/// } item: { event in
///     if case .received(let message) = event { .item(message.text) } else { nil }
/// }
/// ```
public struct TrafficFeed<Services: Sendable>: Sendable {
    typealias Tell = @Sendable (FollowedItem) -> Void

    public var name: String
    /// A write after which the feed tells an item by the step's ``VisitStep/key``; some others may too.
    public var publish: TrafficOperation<Services>
    /// The keys of all that was ever published, in order, from the service's own record.
    public var record: @Sendable () async throws -> [String]
    /// Subscribes, and gives what tells all items until the stream is over.
    let subscribe: @Sendable (Services) -> @Sendable (Tell) async throws -> Void

    /// - Parameters:
    ///   - follow: subscribes through the routed ports.
    ///   - item: the item that an element of the stream stands for; nil if it is no item.
    public init<Element: Sendable>(
        _ name: String,
        publish: TrafficOperation<Services>,
        record: @escaping @Sendable () async throws -> [String],
        follow: @escaping @Sendable (Services) -> any AsyncSequence<Element, any Error> & Sendable,
        item: @escaping @Sendable (Element) -> FollowedItem?
    ) {
        self.name = name
        self.publish = publish
        self.record = record
        subscribe = { services in
            let events = follow(services)
            return { tell in
                for try await element in events {
                    if let item = item(element) { tell(item) }
                }
            }
        }
    }
}

/// What a stream has told.
public enum FollowedItem: Sendable, Hashable {
    /// What was published under that key.
    case item(_ key: String)
    /// That something may be missing here.
    case gap
}
