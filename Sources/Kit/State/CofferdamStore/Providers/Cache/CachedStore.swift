public import Cofferdam  // its errors have codes

/// A ``Store`` with a cache: it saves the models that its providers set, reads the models that they fetch, and keeps
/// saved models equal to the store's.
///
/// Each model is saved under its id, and each list as its ids. A change of a model rewrites only that model. A deletion
/// removes the model from all saved lists, including lists that have not been read. Writes run in the background, in
/// the order of the changes; ``written()`` waits for them.
public final class CachedStore: Sendable {
    /// The store behind the providers.
    public let store: Store
    private let queue: CacheQueue
    private let archives = Archives()

    /// Creates a store that saves its models to `cache`.
    ///
    /// - Parameters:
    ///   - executor: runs the writes; nil for the default executor.
    ///   - report: called on the writing task with the error of every failed write.
    public init(
        _ store: Store = Store(),
        cache: any ModelCache,
        executor: (any TaskExecutor)? = nil,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.store = store
        queue = CacheQueue(cache, executor: executor, report: report)
        store.withLock { [archives] in $0.followers.append(archives) }
    }

    deinit {
        store.withLock { [archives] graph in graph.followers.removeAll { $0 === archives } }
    }

    // MARK: Changing without a provider

    /// Sets a model like ``Store/set(_:context:origin:)`` and saves it.
    ///
    /// - Parameter updatesCache: false does not save a model that is not saved yet.
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
            for model in models { archive.keep(turn.settled(id: model.id) ?? model, at: turn.now()) }
        }
    }

    /// Removes a model like ``Store/remove(_:id:context:)``, and also from the cache and all saved lists.
    public func remove<Model: CachedModel>(_ type: Model.Type, id: Model.ID, context: (any Sendable)? = nil) {
        let archive = archive(type)
        store.turn { turn in
            archive.forget(id)
            turn.update(context: context) { $0.remove(type, id: id) }
        }
    }

    /// Removes everything from the store and the cache, as at sign-out. Providers become empty; the results of running
    /// fetches are dropped.
    ///
    /// - Throws: the cache's error. The store is empty then, but the cache may not be. Until it is, the cache is
    ///   neither read nor written: each later read or write tries to empty it first and fails with that error.
    public func removeAll(context: (any Sendable)? = nil) async throws {
        store.turn { turn in
            archives.forgetAll()
            turn.update(context: context) { $0.removeAll() }
            queue.wipe()
        }
        try await written()
    }

    /// Waits until all earlier writes are done.
    ///
    /// - Throws: the error of the first write that failed since the last call.
    public func written() async throws { try await queue.written() }

    // MARK: Archives

    func archive<Model: CachedModel>(_ type: Model.Type) -> ModelArchive<Model> { archives.archive(type, queue) }
}

/// A model that a ``CachedStore`` can save.
public protocol CachedModel: StoreModel, Codable where ID: Codable {
    /// The prefix of the model's cache keys. Models saved under another name are not found.
    static var cacheName: String { get }
}

extension CachedModel {
    /// The type's name, with its module.
    public static var cacheName: String { String(reflecting: Self.self) }
}

/// A failure of a ``CachedStore``. Errors of the cache itself are thrown unchanged.
public struct CachedStoreError: CodedError {
    /// The kind of error. A struct, so that new codes do not break callers.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A cache entry cannot be decoded as a model or list of this type. Another version may have written it.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A model or list cannot be encoded as JSON.
        public static let unwritable = Code(rawValue: "unwritable")
        /// Neither the store nor the cache has the list.
        public static let unknownList = Code(rawValue: "unknown list")
        /// The list does not contain the element.
        public static let unknownElement = Code(rawValue: "unknown element")
        /// The provider was asked to fetch but has no key or id.
        public static let noKey = Code(rawValue: "no key")
    }

    /// The kind of error.
    public let code: Code
    /// The key of the cache entry, or the model's type.
    package let subject: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    package init(_ code: Code, _ subject: String, cause: (any Error)? = nil) {
        self.code = code
        self.subject = subject
        self.cause = cause
    }

    /// The code, the subject and, if there is one, the cause.
    public var description: String { "\(code): \(subject)" + (cause.map { " (\($0))" } ?? "") }
}
