/// A store that tells of changes which somebody else makes, so that a kill switch acts at once.
///
/// Silence proves nothing: a connection may be dead without anybody's knowing. Who follows a store also asks it from time to
/// time.
public protocol UpgradeStoreWatching: UpgradeStore {
    /// Returns as soon as something other than `stored` is, or may be, stored for the capability. While the store cannot be
    /// reached it goes on trying.
    ///
    /// - Parameter stored: what ``UpgradeStore/read(_:)`` has given last.
    /// - Throws: `CancellationError`.
    func change(of capability: String, since stored: StoredUpgrade?) async throws
}
