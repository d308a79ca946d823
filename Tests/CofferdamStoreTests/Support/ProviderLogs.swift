import CofferdamStore
import TestSupport

/// Records the notifications of a provider's delegate.
final class DataLog<Model: StoreModel>: DataProviderDelegate {
    private let log = Log<StoreEvent<Model?>>()
    var values: [Model?] { log.entries.map(\.value) }
    var contexts: [String?] { log.entries.map { $0.context as? String } }
    var last: StoreEvent<Model?>? { log.entries.last }

    func dataProvider(_ provider: DataProvider<Model>, changed event: StoreEvent<Model?>) { log.add(event) }
}

final class ListLog<Model: StoreModel>: CollectionDataProviderDelegate {
    private let log = Log<StoreEvent<CollectionState<Model>>>()
    var changes: [CollectionChange] { log.entries.map(\.value.change) }
    var contexts: [String?] { log.entries.map { $0.context as? String } }
    var last: StoreEvent<CollectionState<Model>>? { log.entries.last }
    var count: Int { log.entries.count }

    func collectionDataProvider(
        _ provider: CollectionDataProvider<Model>,
        changed event: StoreEvent<CollectionState<Model>>
    ) { log.add(event) }
}

final class BatchLog: ProviderBatchDelegate {
    private let log = Log<(changed: [ObjectIdentifier], context: String?)>()
    var count: Int { log.entries.count }
    var changed: [[ObjectIdentifier]] { log.entries.map(\.changed) }
    var contexts: [String?] { log.entries.map(\.context) }

    func providerBatch(
        _ batch: ProviderBatch,
        changed providers: [any StoreProvider],
        context: (any Sendable)?
    ) { log.add((providers.map { ObjectIdentifier($0) }, context as? String)) }
}

/// A store over a cache, and the errors of its failed writes.
struct Kept {
    let cache = SpyCache()
    let failures = Log<any Error>()
    let cached: CachedStore
    var store: Store { cached.store }

    init(_ store: Store = Store()) {
        cached = CachedStore(store, cache: cache) { [failures] in failures.add($0) }
    }

    /// Waits until everything is written, and opens the cache as in the next launch.
    func flushed() async throws -> CachedStore {
        try await cached.written()
        return reopened()
    }

    /// Opens the cache as in the next launch.
    func reopened() -> CachedStore { CachedStore(cache: cache) { [failures] in failures.add($0) } }
}

func parts(_ ids: some Sequence<Int>, value: Int = 0) -> [Part] { ids.map { Part(id: $0, value: value) } }

extension CollectionChange {
    /// The steps; none for a reset.
    var allSteps: [Step] { if case .steps(let steps) = self { steps } else { [] } }
}
