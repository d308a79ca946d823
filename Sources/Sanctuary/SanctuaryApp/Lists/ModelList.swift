import Cofferdam
import CofferdamStore

/// A list that is loaded whole and whose elements are the store's: what is learned of one of them elsewhere shows in it too,
/// and what it has shown is there again in the app's next life.
final class ModelList<Model: KeptModel>: Sendable {
    let loadable: Loadable<[Model]>
    let collection: StoreCollection<Model>
    private let store: Store
    private let resolve: Resolve
    private let key: String
    private let storage: ContentsStorage?
    private let owner: ContentsOwner
    /// Counts the times that everything was forgotten: what was asked for before is not taken in afterwards.
    private let epoch: Epoch
    private let listening = Mutex<StoreListening?>(nil)

    typealias Resolve = @Sendable ([Model], borrowing StoreUpdate) -> [Model]

    /// - Parameters:
    ///   - key: names it in the storage.
    ///   - owner: whose it is there.
    ///   - prepare: has the store know what the resolving of models that were kept needs.
    ///   - resolve: has the models complete what they hold by what the store knows; runs under the store's lock.
    ///   - load: asks the vendor for the whole list.
    init(
        _ key: String,
        in store: Store,
        storage: ContentsStorage?,
        of owner: ContentsOwner,
        prepare: @escaping @Sendable () async -> Void = {},
        resolve: @escaping Resolve = { models, _ in models },
        load: @escaping @Sendable () async throws -> [Model]
    ) {
        let collection = StoreCollection<Model>(in: store)
        let epoch = Epoch()
        // The elements as the store has them; those of an epoch that has passed are not let in, and old ones replace nothing.
        let adopt = { @Sendable (models: [Model], areOld: Bool, asked: Int) throws(CancellationError) in
            var isAdopted = false
            store.update { update in
                guard epoch.current == asked else { return }
                let models = areOld ? models.map { update.model(id: $0.id) ?? $0 } : models
                update.set(resolve(models, update), in: collection)
                isAdopted = true
            }
            guard isAdopted else { throw CancellationError() }
            return Array(collection.elements)
        }
        let kept = WeakLoadable<[Model]>()
        let persistence = storage?.persistence(key, of: owner, kept) {
            let asked = epoch.current
            return { models in
                await prepare()
                return try adopt(models, true, asked)
            }
        }
        loadable = Loadable(freshness: .for(.seconds(300)), persistence: persistence) {
            let asked = epoch.current
            return try adopt(try await load(), false, asked)
        }
        (self.key, self.store, self.storage, self.owner, self.collection) = (key, store, storage, owner, collection)
        (self.resolve, self.epoch) = (resolve, epoch)
        kept.value = loadable
        let listening = collection.listen { [weak loadable] event in loadable?.takeOver(event) }
        self.listening.withLock { $0 = listening }
    }

    /// How often everything was forgotten until now.
    var forgettings: Int { epoch.current }

    /// Takes in one that is new, or has changed, and is not being asked for as a part of the whole: at the end, if it is not
    /// there yet.
    ///
    /// - Parameters:
    ///   - other: the one that it replaces.
    ///   - asked: ``forgettings`` when it was asked for; after another it is not taken in.
    @discardableResult
    func put(_ model: Model, inPlaceOf other: Model.ID? = nil, asked: Int) -> Model {
        let isLoaded = loadable.snapshot.contents != nil
        store.update { update in
            guard epoch.current == asked else { return }
            let model = resolve([model], update)[0]
            let isThere = update.elements(of: collection).contains { $0.id == model.id }
            if isLoaded, !isThere { update.append(model, to: collection) } else { update.set(model) }
        }
        let model = store.model(id: model.id) ?? model
        loadable.correct { [epoch] models in
            guard epoch.current == asked else { return models }
            var models = models.filter { $0.id != other }
            if let index = models.firstIndex(where: { $0.id == model.id }) {
                models[index] = model
            } else {
                models.append(model)
            }
            return models
        }
        return model
    }

    /// Takes in what is known newer of one, wherever it is shown; the list has no more elements for that.
    func note(_ model: Model) -> Model {
        store.update { $0.set(resolve([model], $0)[0]) }
        return store.model(id: model.id) ?? model
    }

    /// The model with what the store knows of it, without taking it in.
    func resolved(_ model: Model) -> Model {
        var resolved = model
        store.update { resolved = resolve([model], $0)[0] }
        return resolved
    }

    func remove(_ id: Model.ID) { store.remove(Model.self, id: id) }

    /// Forgets everything, here and in the storage.
    ///
    /// - Throws: ``FeatureError`` with `notForgotten`: then it is forgotten here.
    func forget() async throws {
        store.update { update in
            epoch.advance()
            for model in update.elements(of: collection) { update.remove(Model.self, id: model.id) }
        }
        // It may begin to load at once, and that is not forgotten.
        loadable.reset()
        try await storage?.forget(key)
    }

    /// Has the store know what was kept, where it knows nothing newer; asks no vendor.
    func recall() async {
        guard let models = await storage?.recall(key, of: owner, as: Model.self) else { return }
        store.update { update in
            for model in models where update.model(Model.self, id: model.id) == nil { update.set(model) }
        }
    }

    /// Returns when what is shown now is kept.
    func save() async { await storage?.save(key, of: owner) { [loadable] in loadable.snapshot } }
}

extension Loadable {
    /// What has changed of its elements in the store.
    fileprivate func takeOver<Model: StoreModel>(_ event: StoreEvent<CollectionState<Model>>)
    where Contents == [Model] {
        let (updated, deleted) = (event.changes.updated(Model.self), event.changes.deleted(Model.self))
        guard !updated.isEmpty || !deleted.isEmpty else { return }
        var news: [Model.ID: Model] = [:]
        for model in event.value.elements where updated.contains(model.id) { news[model.id] = model }
        let takeOver = { (models: [Model]) in models.filter { !deleted.contains($0.id) }.map { news[$0.id] ?? $0 } }
        // What it knows already is no change that anybody is to be told of.
        guard let models = snapshot.contents, takeOver(models) != models else { return }
        correct(takeOver)
    }
}

/// Counts, for whoever asked before something and is answered after it.
private final class Epoch: Sendable {
    private let count = Mutex(0)
    var current: Int { count.withLock { $0 } }
    func advance() { count.withLock { $0 += 1 } }
}
