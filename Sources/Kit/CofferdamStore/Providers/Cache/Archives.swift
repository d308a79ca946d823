import Cofferdam

/// The archives of a ``CachedStore``, one for each type of model. Holds no store: the store's graph holds it.
final class Archives: TransactionFollower {
    private let archives = Mutex<[ObjectIdentifier: any KeptModels]>([:])

    func archive<Model: CachedModel>(_ type: Model.Type, _ queue: CacheQueue) -> ModelArchive<Model> {
        archives.withLock { archives in
            let key = ObjectIdentifier(type)
            if let archive = archives[key] as? ModelArchive<Model> { return archive }
            let archive = ModelArchive<Model>(queue)
            archives[key] = archive
            return archive
        }
    }

    private var all: [any KeptModels] { archives.withLock { Array($0.values) } }

    func follow(_ transaction: Transaction) {
        guard !transaction.slots.isEmpty else { return }
        for archive in all { archive.follow(transaction) }
    }

    /// To be called in a turn.
    func forgetAll() {
        for archive in all { archive.forgetAll() }
    }
}
