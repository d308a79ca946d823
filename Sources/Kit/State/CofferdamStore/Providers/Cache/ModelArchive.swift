import Cofferdam

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Saves and reads one type of model for a ``CachedStore``: each model under its id, and each list as its ids.
protocol Archive<Model>: Sendable {
    associatedtype Model: StoreModel

    /// Saves the model and its later changes. Call it in a turn, after the update.
    func keep(_ model: Model, at time: ChangeTime)
    /// Saves the list and the models in `new`. Call it in a turn, after the update.
    func keep(_ list: PersistentList<Model>, for key: String, new: [Model], at time: ChangeTime)
    /// Deletes the saved model, also from all saved lists. Call it in a turn, before the update that removes the model:
    /// ``KeptModels/follow(_:)`` then ignores it.
    func forget(_ id: Model.ID)

    /// Reads a model and passes it to `take`, nil if it is not saved. Reads again if it has changed in the meantime.
    func load(_ id: Model.ID, take: (Model?, CacheReading) -> Void) async throws
    /// Reads a list like ``load(_:take:)``; nil if it is not saved or one of its models is missing.
    func loadList(_ key: String, take: ([Model]?, CacheReading) -> Void) async throws
    /// Marks models as saved, because the update with this time sets them as they were read. Call it in a turn, before
    /// the update.
    func noteRead(_ models: [Model], at time: ChangeTime)
    /// The number of wipes of the cache so far.
    var wipes: Int { get }
}

/// The saved models of one type, without the type.
protocol KeptModels: Sendable {
    /// Saves the changes of an update to models that are saved. Called in the update.
    func follow(_ transaction: Transaction)
    /// Forgets which models and lists are saved. Call it in a turn.
    func forgetAll()
}

final class ModelArchive<Model: CachedModel>: Archive, KeptModels {
    private struct State {
        /// The ids of saved models, each with the update after which it was last saved. A model that the store has lost
        /// stays here and is saved again if it returns.
        var kept: [Model.ID: ChangeTime] = [:]
        var lists: Set<String> = []
    }

    private let queue: CacheQueue
    private let state = Mutex(State())

    init(_ queue: CacheQueue) { self.queue = queue }

    var wipes: Int { queue.wipes }

    // MARK: Saving

    func keep(_ model: Model, at time: ChangeTime) {
        // `follow` has already saved the result of this update.
        guard state.withLock({ $0.kept.updateValue(time, forKey: model.id) != time }) else { return }
        let key = CacheKeys.model(Model.self, model.id)
        queue.put(key, children: { CachedChildren.all(in: model) }, { try encoded(model, for: key) })
    }

    func keep(_ list: PersistentList<Model>, for key: String, new: [Model], at time: ChangeTime) {
        for model in new { keep(model, at: time) }
        let entry = CacheKeys.list(Model.self, key)
        queue.put(entry, scope: CacheKeys.lists(Model.self)) { try encoded(list.map(\.id), for: entry) }
        guard state.withLock({ $0.lists.insert(key).inserted }) else { return }
        let index = CacheKeys.lists(Model.self)
        queue.add(
            CacheQueue.Job(scopes: []) { cache in
                var keys = try await cache.value([String].self, for: index) ?? []
                guard !keys.contains(key) else { return }
                keys.append(key)
                try await cache.set(try encoded(keys, for: index), for: index)
            }
        )
    }

    func forget(_ id: Model.ID) {
        state.withLock { $0.kept[id] = nil }
        replace([id: nil])
    }

    /// Leaves empty entries as marks of the deletion, because lists and models that were not read yet may contain the
    /// ids.
    ///
    /// - Parameter ids: each with the id that takes its place in the saved lists; nil for none.
    private func replace(_ ids: [Model.ID: Model.ID?]) {
        for id in ids.keys { queue.put(CacheKeys.model(Model.self, id)) { [] } }
        let index = CacheKeys.lists(Model.self)
        queue.add(
            CacheQueue.Job(scopes: [index]) { cache in
                for list in try await cache.value([String].self, for: index) ?? [] {
                    let key = CacheKeys.list(Model.self, list)
                    guard let old = try await cache.value([Model.ID].self, for: key) else { continue }
                    let there = Set(old)
                    let new = old.compactMap { id -> Model.ID? in
                        guard let replacement = ids[id] else { return id }
                        return replacement.flatMap { there.contains($0) ? nil : $0 }
                    }
                    if new != old { try await cache.set(try encoded(new, for: key), for: key) }
                }
            }
        )
    }

    func forgetAll() { state.withLock { $0 = State() } }

    // MARK: Following the store

    func follow(_ transaction: Transaction) {
        let (type, time) = (ObjectIdentifier(Model.self), ChangeTime(update: transaction.number))
        var replaced: [Model.ID: Model.ID?] = [:]
        for slot in transaction.slots where slot.modelType == type {
            // A slot's type is the one it was made with, and its node is one of that model's entity.
            let slot = unsafeDowncast(slot, to: Slot<Model>.self)
            let id = unsafeDowncast(slot.node, to: EntityNode<Model.Entity, Model.ID>.self).id
            guard let last = state.withLock({ $0.kept[id] }), last < time else { continue }
            guard let model = slot.value else {
                replaced.updateValue(nil, forKey: id)
                continue
            }
            keep(model, at: time)
            // It was renamed. Its slot for the old id follows the one for the new id from now on.
            guard model.id != id else { continue }
            state.withLock { $0.kept[id] = nil }
            replaced.updateValue(model.id, forKey: id)
        }
        if !replaced.isEmpty { replace(replaced) }
    }

    // MARK: Reading

    func load(_ id: Model.ID, take: (Model?, CacheReading) -> Void) async throws {
        let key = CacheKeys.model(Model.self, id)
        try await queue.read(scopes: [key]) { cache in
            guard let model = try await cache.model(Model.self, for: key) else { return nil as Model? }
            return try await CachedChildren.resolve([model], in: cache).first ?? nil
        } take: { model, reading in
            if let model { noteKept([model]) }
            take(model, reading)
        }
    }

    func loadList(_ key: String, take: ([Model]?, CacheReading) -> Void) async throws {
        let entry = CacheKeys.list(Model.self, key)
        try await queue.read(scopes: [entry, CacheKeys.lists(Model.self)]) { cache in
            guard let ids = try await cache.value([Model.ID].self, for: entry) else { return nil as [Model]? }
            let keys = ids.map { CacheKeys.model(Model.self, $0) }
            let entries = try await cache.bytes(for: keys)
            var models: [Model] = []
            models.reserveCapacity(keys.count)
            for key in keys {
                // The cache had no room for this one.
                guard let bytes = entries[key] else { return nil }
                if !bytes.isEmpty { models.append(try decoded(Model.self, bytes, for: key)) }
            }
            return try await CachedChildren.resolve(models, in: cache).compactMap { $0 }
        } take: { models, reading in
            if let models { noteKept(models) }
            take(models, reading)
        }
    }

    /// Marks models as saved, so that their later changes are saved too.
    private func noteKept(_ models: [Model]) {
        state.withLock { state in
            for model in models where state.kept[model.id] == nil { state.kept[model.id] = .never }
        }
    }

    func noteRead(_ models: [Model], at time: ChangeTime) {
        state.withLock { state in
            for model in models { state.kept[model.id] = time }
        }
    }
}

/// The archives of a ``CachedStore``, one for each type of model. Does not hold the store, whose graph holds it.
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

    /// Forgets which models and lists are saved. Call it in a turn.
    func forgetAll() {
        for archive in all { archive.forgetAll() }
    }
}
