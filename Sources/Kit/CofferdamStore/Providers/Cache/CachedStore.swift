import Cofferdam

/// A ``Store`` with a cache: models that its providers set are saved, models that they miss are read, and saved models follow
/// every change of the store.
///
/// Each model is saved by its id and each list as its ids. A change of a model rewrites that model alone, and a deletion
/// removes it from all saved lists, also from those that have not been read. Writes run in the background, in the order of
/// the changes; ``written()`` waits for them.
public final class CachedStore: Sendable {
    /// The store behind the providers.
    public let store: Store
    private let queue: CacheQueue
    private let archives = Archives()

    /// - Parameters:
    ///   - executor: where writes run; nil is Swift's own pool.
    ///   - report: called with the error of every failed write, on the writing task.
    public init(
        _ store: Store = Store(),
        cache: any ModelCache,
        executor: (any TaskExecutor)? = nil,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.store = store
        queue = CacheQueue(cache, executor: executor, report: report)
        store.locked { [archives] in $0.followers.append(archives) }
    }

    deinit {
        store.locked { [archives] graph in graph.followers.removeAll { $0 === archives } }
    }

    // MARK: Changing without a provider

    /// Sets a model like ``Store/set(_:context:origin:)`` and saves it.
    ///
    /// - Parameter updatesCache: false keeps nothing that is not kept yet.
    public func set<Model: CachedModel>(
        _ model: Model,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) {
        set([model], updatesCache: updatesCache, context: context)
    }

    /// Sets and saves all models as one update.
    public func set<Model: CachedModel>(
        _ models: [Model],
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) {
        let archive = archive(Model.self)
        store.turn { turn in
            turn.update(context: context) { update in
                for model in models { update.set(model) }
            }
            guard updatesCache else { return }
            for model in models { archive.keep(turn.model(id: model.id) ?? model, at: turn.now()) }
        }
    }

    /// Removes a model like ``Store/remove(_:id:context:)``, also from the cache and its lists.
    public func remove<Model: CachedModel>(_ type: Model.Type, id: Model.ID, context: (any Sendable)? = nil) {
        let archive = archive(type)
        store.turn { turn in
            archive.forget(id)
            turn.update(context: context) { $0.remove(type, id: id) }
        }
    }

    /// Removes everything from the store and the cache, as at sign-out. Providers stay, empty; results of current fetches are
    /// dropped.
    ///
    /// - Throws: the cache's error. The store is empty then; the cache may not be, and nothing is read from it or written to it
    ///   before it is: all that needs it tries again to remove everything, and fails if that does.
    public func removeAll(context: (any Sendable)? = nil) async throws {
        store.turn { turn in
            archives.forgetAll()
            turn.update(context: context) { $0.removeAll() }
            queue.wipe()
        }
        try await written()
    }

    /// Returns when all earlier writes are done.
    ///
    /// - Throws: what the first write that failed since this returned last has thrown.
    public func written() async throws { try await queue.written() }

    // MARK: What is kept

    func archive<Model: CachedModel>(_ type: Model.Type) -> ModelArchive<Model> { archives.archive(type, queue) }
}

/// A model that a ``CachedStore`` can save.
public protocol CachedModel: StoreModel, Codable where ID: Codable {
    /// Names the model's entries in the cache. After a change of the name saved models are no longer found.
    static var cacheName: String { get }
}

extension CachedModel {
    /// The type's name, with its module.
    public static var cacheName: String { String(reflecting: Self.self) }
}

/// A failure of a ``CachedStore``. Errors of the cache itself are thrown unchanged.
public struct CachedStoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is; open, so that a new one does not break callers.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// A cache entry is not a model or list of this type; another version may have written it.
        public static let unreadable = Code(description: "unreadable")
        /// The model cannot be written as JSON.
        public static let unwritable = Code(description: "unwritable")
        /// Neither the store nor the cache has the list.
        public static let unknownList = Code(description: "unknown list")
        /// There is no such element in the list.
        public static let unknownElement = Code(description: "unknown element")
        /// The provider was asked to fetch without a key.
        public static let noKey = Code(description: "no key")
    }

    /// What kind of error it is.
    public let code: Code
    /// The entry of the cache, or the model's type.
    public let subject: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    package init(_ code: Code, _ subject: String, cause: (any Error)? = nil) {
        self.code = code
        self.subject = subject
        self.cause = cause
    }

    public var description: String { "\(code): \(subject)" + (cause.map { " (\($0))" } ?? "") }
}
