extension CollectionDataProvider {
    /// Shows the list of that key: as another provider shows it, or else as the cache has it.
    ///
    /// The cache is not asked for what is shown already. If the provider is set, or asked for something else, before the cache
    /// has answered, the answer is not shown; nor is it if another provider has set the list meanwhile.
    ///
    /// - Parameters:
    ///   - key: nil is its own.
    ///   - context: given to others who are told of it.
    /// - Returns: what is shown afterwards; nil if there was nothing: a miss changes nothing.
    /// - Throws: the cache's error, ``CachedStoreError`` or `CancellationError`; nothing is changed then.
    @discardableResult
    public func fetch(key: String? = nil, context: (any Sendable)? = nil) async throws -> PersistentList<Model>? {
        guard let key = key ?? self.key else { throw CachedStoreError(.noKey, String(reflecting: Model.self)) }
        let request = following.request()
        let list = key == self.key ? list : StoreCollection<Model>(key: key, in: store)
        var isFound = takeKnown(list, key, request)
        guard !isFound, let archive else { return isFound ? data : nil }
        try await archive.loadList(key) { models, reading in
            isFound = true
            take(list, key: key) { turn in
                guard following.isCurrent(request) else { return nil }
                if isKnown(list) { return Self.first(list) }
                guard !reading.isOutdated() else { return nil }
                guard let models else {
                    isFound = false
                    return nil
                }
                guard let fresh = turn.known(models, from: reading) else { return nil }
                archive.noteRead(zip(models, fresh).filter { $0 == $1 }.map(\.0), at: turn.next())
                let changes = turn.update(context: context) { $0.set(fresh, in: list) }
                list.core.knownSince = archive.wipes
                for (old, new) in zip(models, fresh) where old != new { archive.keep(new, at: turn.now()) }
                return StoreEvent(
                    value: CollectionState(elements: list.core.elements, change: .reset),
                    changes: changes,
                    context: context
                )
            }
        }
        return isFound ? data : nil
    }

    /// Whether the store knows the list.
    private func takeKnown(_ list: StoreCollection<Model>, _ key: String, _ request: Int) -> Bool {
        var isFound = false
        take(list, key: key) { _ in
            guard following.isCurrent(request), isKnown(list) else { return nil }
            isFound = true
            return Self.first(list)
        }
        return isFound
    }

    /// An empty list may be one that nobody has set yet, or not since everything was forgotten.
    private func isKnown(_ list: StoreCollection<Model>) -> Bool {
        list.core.knownSince == (archive?.wipes ?? 0) || !list.core.elements.isEmpty
    }

    private static func first(_ list: StoreCollection<Model>) -> StoreEvent<CollectionState<Model>> {
        StoreEvent(
            value: CollectionState(elements: list.core.elements, change: .reset),
            changes: .none,
            context: nil
        )
    }
}

extension CollectionDataProvider where Model: CachedModel {
    /// Changes a list that perhaps nobody shows: reads it if it has to be, changes it, and keeps it.
    ///
    /// ```swift
    /// try await CollectionDataProvider<Animal>.edit("favourites", in: store) { $0.append([animal]) }
    /// ```
    ///
    /// - Throws: ``CachedStoreError/Code/unknownList`` if neither the store nor the cache has it, for then there is nothing to
    ///   change; what `change` throws; the cache's error.
    public static func edit(
        _ key: String,
        in store: CachedStore,
        context: (any Sendable)? = nil,
        _ change: @Sendable (CollectionDataProvider<Model>) throws -> Void
    ) async throws {
        let provider = CollectionDataProvider(key: key, in: store)
        guard try await provider.fetch(context: context) != nil else {
            throw CachedStoreError(.unknownList, CacheKeys.list(Model.self, key))
        }
        try change(provider)
        try await store.written()
    }

    /// Sets a list that perhaps nobody shows, and keeps it.
    public static func set(
        _ models: some Collection<Model>,
        key: String,
        in store: CachedStore,
        context: (any Sendable)? = nil
    ) async throws {
        CollectionDataProvider(key: key, in: store).set(models, context: context)
        try await store.written()
    }
}
