/// What is inside of a model that comes from the cache may be older than what the cache keeps of it by itself: that counts. So
/// whatever the cache keeps of what is inside of a model is written together with the model.
enum CachedChildren {
    /// All that is inside of the model and can be kept by itself, by its key.
    static func all<Model: CachedModel>(in model: Model) -> [String: any CachedModel] {
        let found = Found()
        _ = model.replacingChildren(found)
        return found.models
    }

    /// - Returns: each model with its children as the cache keeps them; nil in place of one that lacks what it needs.
    static func resolve<Model: CachedModel>(_ models: [Model], in cache: any ModelCache) async throws -> [Model?] {
        let found = Found()
        for model in models { _ = model.replacingChildren(found) }
        guard !found.models.isEmpty else { return models }
        let entries = try await cache.bytes(for: Array(found.models.keys))
        guard !entries.isEmpty else { return models }
        let replacing = KeptFirst(entries)
        let resolved = models.map { $0.replacingChildren(replacing) }
        if let error = replacing.error { throw error }
        return resolved
    }

    /// Collects all that is inside; of two values of one thing, the first.
    private final class Found: ChildReplacing {
        var models: [String: any CachedModel] = [:]

        func replacement<Child: StoreModel>(for child: Child) -> Child? {
            if let child = child as? any CachedModel { insert(child) }
            _ = child.replacingChildren(self)
            return child
        }

        private func insert<Child: CachedModel>(_ child: Child) {
            let key = CacheKeys.model(Child.self, child.id)
            if models[key] == nil { models[key] = child }
        }
    }

    fileprivate final class KeptFirst: ChildReplacing {
        let entries: [String: [UInt8]]
        /// What is inside of itself is not followed.
        var path: Set<String> = []
        var error: (any Error)?

        init(_ entries: [String: [UInt8]]) { self.entries = entries }

        func replacement<Child: StoreModel>(for child: Child) -> Child? {
            guard let kept = child as? any CachedModel else { return child.replacingChildren(self) }
            return kept.resolved(by: self) as? Child
        }

        func resolve<Child: CachedModel>(_ child: Child) -> Child? {
            let key = CacheKeys.model(Child.self, child.id)
            guard path.insert(key).inserted else { return child }
            defer { path.remove(key) }
            guard let bytes = entries[key] else { return child.replacingChildren(self) }
            guard !bytes.isEmpty else { return nil }
            do { return try decoded(Child.self, bytes, for: key).replacingChildren(self) } catch {
                self.error = error
                return child
            }
        }
    }
}

extension CachedModel {
    fileprivate func resolved(by kept: CachedChildren.KeptFirst) -> Self? { kept.resolve(self) }

    /// Whether that is an entry of it as it is; one that cannot be read is not.
    func isKept(as bytes: [UInt8], for key: String) -> Bool {
        if bytes.isEmpty { return false }
        do { return try decoded(Self.self, bytes, for: key) == self } catch { return false }
    }
}
