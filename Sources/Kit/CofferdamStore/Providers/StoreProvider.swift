/// A provider of models from a store, whatever they are: ``DataProvider`` and ``CollectionDataProvider``.
public protocol StoreProvider: AnyObject, Sendable {
    /// When what it shows has changed last; two providers that an update has changed say the same.
    var lastUpdated: ChangeTime { get }

    var isPaused: Bool { get }

    /// From now on what others change is not shown, and not told. An own change is shown at once, with all that others have
    /// changed until then. Idempotent.
    func pause()

    /// Shows the changes since ``pause()`` and notifies once, with the last update's context; not at all if that
    /// is what was there then. Idempotent.
    func resume()

    /// Where it stands in its store: for ``ProviderBatch``.
    var seat: ProviderSeat { get }
}

/// Where a provider stands in its store.
public struct ProviderSeat: Sendable {
    let store: Store
    let join: @Sendable (ProviderBatch) -> Void
}

/// When a store's update was made, by the store's own count: of two updates of one store, the later one has the greater.
public struct ChangeTime: Comparable, Hashable, Sendable, CustomStringConvertible {
    let update: Int

    /// Before every update.
    public static let never = ChangeTime(update: 0)

    public static func < (a: Self, b: Self) -> Bool { a.update < b.update }

    public var description: String { "update \(update)" }
}
