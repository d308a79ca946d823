/// A value that the vendor's SDK reads and the adapter cannot translate, and what the port promises about it. See
/// ``ShownFields``.
public struct UnreadableValue<Entity: Sendable>: Sendable {
    let name: String
    let path: String
    let held: @Sendable (Entity) -> Entity
    /// What a correct adapter shows instead; nil if the operation fails.
    let shown: (@Sendable (Entity) -> Entity)?

    /// The operation fails with the port's error for an unreadable answer, whose path contains `path`.
    ///
    /// - Parameter held: gives the entity the value that the vendor holds.
    public static func failing(
        _ name: String,
        at path: String,
        held: @escaping @Sendable (inout Entity) -> Void
    ) -> UnreadableValue {
        UnreadableValue(name: name, path: path, held: changing(held), shown: nil)
    }

    /// The operation shows the entity in part, and the adapter reports an issue whose text contains `path`.
    ///
    /// - Parameters:
    ///   - held: gives the entity the value that the vendor holds.
    ///   - shown: gives the entity the value that a correct adapter shows instead.
    public static func reported(
        _ name: String,
        at path: String,
        held: @escaping @Sendable (inout Entity) -> Void,
        shown: @escaping @Sendable (inout Entity) -> Void
    ) -> UnreadableValue {
        UnreadableValue(name: name, path: path, held: changing(held), shown: changing(shown))
    }

    private static func changing(
        _ change: @escaping @Sendable (inout Entity) -> Void
    ) -> @Sendable (Entity) -> Entity {
        { entity in
            var entity = entity
            change(&entity)
            return entity
        }
    }

    var promise: String { shown == nil ? "an unreadable answer at \(path)" : "an issue at \(path)" }
}
