/// A provider of models from a store: ``DataProvider`` or ``CollectionDataProvider``.
public protocol StoreProvider: AnyObject, Sendable {
    /// The time of the last change. All providers that one update changes have the same time.
    var lastUpdated: ChangeTime { get }

    /// Whether the provider is paused.
    var isPaused: Bool { get }

    /// Stops delivering changes made elsewhere. The provider's own changes still show at once, together with all
    /// changes before them. Idempotent.
    func pause()

    /// Delivers the changes since ``pause()`` as one, with the context of the last update. Does not notify if the value
    /// is the same as before the pause. Idempotent.
    func resume()

    /// The provider's registration with its store, which ``ProviderBatch`` uses.
    var registration: ProviderRegistration { get }
}

/// Connects a provider of a store to a ``ProviderBatch``.
public struct ProviderRegistration: Sendable {
    let store: Store
    let join: @Sendable (ProviderBatch) -> Void
}

/// The time of an update, as a count: later updates of a store have greater times.
public struct ChangeTime: Comparable, Hashable, Sendable, CustomStringConvertible {
    let update: Int

    /// Before every update.
    package static let never = ChangeTime(update: 0)

    /// Whether `a` was made before `b`. Compare only times of one store.
    public static func < (a: Self, b: Self) -> Bool { a.update < b.update }

    /// The number of the update, such as `update 7`.
    public var description: String { "update \(update)" }
}
