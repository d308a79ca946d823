/// Tells that something may have changed in a store, before somebody asks. It may tell too much, and it may miss: who is told
/// asks the store, and asks it from time to time untold.
public protocol UpgradeStoreWatching: Sendable {
    /// Ends only with the task that reads it.
    func changes(of capability: String) -> AsyncStream<Void>
}
