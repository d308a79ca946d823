/// A provider of models from a store: ``DataProvider`` or ``CollectionDataProvider``.
public protocol StoreProvider: AnyObject, Sendable {
    /// When it changed last; the same for all providers that an update changed.
    var lastUpdated: ChangeTime { get }

    var isPaused: Bool { get }

    /// Stops showing changes of others. A change of its own is shown at once, with all earlier changes. Idempotent.
    func pause()

    /// Shows the changes since ``pause()`` and notifies once, with the last update's context; not at all if that
    /// is what was there then. Idempotent.
    func resume()

    /// Its place in its store, for ``ProviderBatch``.
    var seat: ProviderSeat { get }
}

/// The place of a provider in its store.
public struct ProviderSeat: Sendable {
    let store: Store
    let join: @Sendable (ProviderBatch) -> Void
}

/// When an update was made, counted by the store: later updates of a store have greater times.
public struct ChangeTime: Comparable, Hashable, Sendable, CustomStringConvertible {
    let update: Int

    /// Before every update.
    public static let never = ChangeTime(update: 0)

    public static func < (a: Self, b: Self) -> Bool { a.update < b.update }

    public var description: String { "update \(update)" }
}
