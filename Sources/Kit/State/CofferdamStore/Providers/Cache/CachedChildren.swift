/// Finds and replaces the children inside cached models.
///
/// A child can be saved inside its parent and as an entry of its own. The copy inside may be older, so the child's own
/// entry counts. Therefore the cache writes a model's children to their entries, if they have any, together with the
/// model.
enum CachedChildren {
    /// All children of the model that can have an entry of their own, by key.
    static func all<Model: CachedModel>(in model: Model) -> [String: any CachedModel] {
        let found = Found()
        _ = model.replacingChildren(found)
        return found.models
    }

    /// Replaces the children of models by their own entries.
    ///
    /// - Returns: the models with their newest children; nil for a model that needs a child that was deleted.
    static func resolve<Model: CachedModel>(_ models: [Model], in cache: any ModelCache) async throws -> [Model?] {
        let found = Found()
        for model in models { _ = model.replacingChildren(found) }
        guard !found.models.isEmpty else { return models }
        let entries = try await cache.bytes(for: Array(found.models.keys))
        guard !entries.isEmpty else { return models }
        let replacing = SavedReplacements(entries)
        let resolved = models.map { $0.replacingChildren(replacing) }
        if let error = replacing.error { throw error }
        return resolved
    }

    /// Collects the children; of two values of one child, the first.
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

    fileprivate final class SavedReplacements: ChildReplacing {
        let entries: [String: [UInt8]]
        /// The keys of the models above: a child that contains itself is not replaced again.
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
    fileprivate func resolved(by replacements: CachedChildren.SavedReplacements) -> Self? { replacements.resolve(self) }

    /// Whether `bytes` are an entry equal to this model. An entry that cannot be decoded is not.
    func isKept(as bytes: [UInt8], for key: String) -> Bool {
        if bytes.isEmpty { return false }
        do { return try decoded(Self.self, bytes, for: key) == self } catch { return false }
    }
}
