#if Sandbox
/// A part of a list.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The cursor of the next part; nil at the end of the list.
    public var nextCursor: String?

    public init(items: [Item], nextCursor: String? = nil) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

extension Page: Decodable where Item: Decodable {}
extension Page: Equatable where Item: Equatable {}
#endif
