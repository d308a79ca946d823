/// A stream that users follow alongside their other calls. It must deliver each item once and in order.
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

    var name: String
    /// A write that publishes an item under the step's ``VisitStep/key``; other operations may publish items too.
    var publish: TrafficOperation<Services>
    /// The keys of all published items, in order, from the service's own record.
    var record: @Sendable () async throws -> [String]
    /// Subscribes, and returns a function that reports all items until the stream ends.
    let subscribe: @Sendable (Services) -> @Sendable (Tell) async throws -> Void

    /// - Parameters:
    ///   - follow: subscribes through the routed ports.
    ///   - item: returns the item that an element of the stream stands for; nil if it is not an item.
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

/// Something that a stream has delivered.
public enum FollowedItem: Sendable, Hashable {
    /// The item with that key.
    case item(_ key: String)
    /// A notice that items may be missing here.
    case gap
}
