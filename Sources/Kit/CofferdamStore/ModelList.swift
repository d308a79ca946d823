public import Cofferdam  // lists are given out as the kit's providers

/// A list of a store's models, in an order of its own: a change to one of them, wherever it was made, is a change to the
/// list; one that is taken out of the store is missing from it until it comes back.
public final class ModelList<Model: StoredModel>: Sendable where Model.ID: Sendable {
    private struct State {
        var ids: [Model.ID] = []
        var models: [Model.ID: Model] = [:]
        var tokens: [Model.ID: ListenerToken] = [:]
        /// While the ids are being replaced, one change is told at the end in place of one for each model.
        var isReplacing = 0
    }

    private let store: Store
    private let state = Mutex(State())
    private let source = ProviderSource<[Model]>([])

    public init(_ ids: [Model.ID] = [], in store: Store) {
        self.store = store
        set(ids)
    }

    /// The models that are there, in the list's order.
    public var models: [Model] { source.current }

    /// The same, for listeners and as a sequence of states.
    public var provider: Provider<[Model]> { source.provider }

    /// Replaces the list by these ids; one that occurs twice counts where it stands first.
    public func set(_ ids: [Model.ID]) {
        var seen = Set<Model.ID>()
        let ids = ids.filter { seen.insert($0).inserted }
        let known = state.withLock { state in
            state.isReplacing += 1
            state.ids = ids
            return Set(state.tokens.keys)
        }
        var tokens: [Model.ID: ListenerToken] = [:]
        for id in ids where !known.contains(id) {
            tokens[id] = store.listen(Model.self, id: id) { [weak self] in self?.take($0, for: id) }
        }
        let dropped = state.withLock { state in
            state.tokens.merge(tokens) { old, _ in old }
            let wanted = Set(state.ids)
            let dropped = state.tokens.filter { !wanted.contains($0.key) }
            for id in dropped.keys {
                state.tokens[id] = nil
                state.models[id] = nil
            }
            state.isReplacing -= 1
            post(state)
            return dropped
        }
        for token in dropped.values { token.cancel() }
        source.deliver()
    }

    /// Puts the models into the store, and makes them the list.
    public func set(_ models: [Model]) {
        store.set(models)
        set(models.map(\.id))
    }

    private func take(_ model: Model?, for id: Model.ID) {
        state.withLock { state in
            guard state.models[id] != model else { return }
            state.models[id] = model
            if state.isReplacing == 0 { post(state) }
        }
        source.deliver()
    }

    private func post(_ state: borrowing State) {
        source.post(state.ids.compactMap { state.models[$0] })
    }
}
