/// When a store's update was made, by the store's own count: of two updates of one store, the later one has the greater.
public struct ChangeTime: Comparable, Hashable, Sendable, CustomStringConvertible {
    let update: Int

    /// Before every update.
    public static let never = ChangeTime(update: 0)

    public static func < (a: Self, b: Self) -> Bool { a.update < b.update }

    public var description: String { "update \(update)" }
}
