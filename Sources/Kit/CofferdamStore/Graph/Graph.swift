import Cofferdam

/// All that a store knows: each thing once, with edges from what is held to what holds it, so that a change costs what is
/// affected by it and not what exists.
///
/// See ``Node`` for the proof of `@unchecked Sendable`.
final class Graph: @unchecked Sendable {
    /// Deliveries in the order of the changes, to be run outside of the lock, by one thread at a time.
    var outbox: [@Sendable () -> Void] = []
    var isDraining = false
    /// Who is told of every update.
    let updates = UpdateHub()
    /// Who takes part in every update.
    var followers: [any TransactionFollower] = []

    private let keepsEverything: Bool
    private var collections: [CollectionKey: AnyCollectionCore] = [:]
    private var shelves: [ShelfKey: AnyShelf] = [:]
    /// The last update, or the one that is being made.
    private(set) var transaction = Transaction(number: 0)
    /// Counts the models that were set.
    private var absorption = 0
    private var suspects: [Node] = []

    private struct ShelfKey: Hashable {
        let entity: ObjectIdentifier
        let id: ObjectIdentifier
    }

    init(keepsEverything: Bool) { self.keepsEverything = keepsEverything }

    /// Whether there are deliveries and no other thread is draining them.
    func beginsDraining() -> Bool {
        guard !isDraining, !outbox.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// The deliveries to make now; nil if there are none, which ends the draining.
    func takeDeliveries() -> [@Sendable () -> Void]? {
        guard !outbox.isEmpty else {
            isDraining = false
            return nil
        }
        defer { outbox = [] }
        return outbox
    }

    // MARK: Finding

    func slot<Model: StoreModel>(of model: Model) -> Slot<Model>? { slot(Model.self, model.id) }

    func slot<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) -> Slot<Model>? {
        shelf(type).nodes[id]?.slot(of: type)
    }

    /// The slot to listen to, whether there is a value or not.
    func makeSlot<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) -> Slot<Model> {
        shelf(type).makeNode(id).makeSlot(of: type)
    }

    /// The node of a thing, or one that is kept nowhere if it is not known.
    func node<Model: StoreModel>(of model: Model) -> Node {
        let shelf = shelf(Model.self)
        return shelf.nodes[model.id] ?? EntityNode(id: model.id, shelf: shelf)
    }

    private func shelf<Model: StoreModel>(_ type: Model.Type) -> Shelf<Model.Entity, Model.ID> {
        let key = ShelfKey(entity: ObjectIdentifier(Model.Entity.self), id: ObjectIdentifier(Model.ID.self))
        // A shelf's key is the types it was made with.
        if let shelf = shelves[key] { return unsafeDowncast(shelf, to: Shelf<Model.Entity, Model.ID>.self) }
        let shelf = Shelf<Model.Entity, Model.ID>()
        shelves[key] = shelf
        return shelf
    }

    // MARK: Collections

    private struct CollectionKey: Hashable {
        let model: ObjectIdentifier
        let key: String
    }

    /// The collection of that key, to be left by ``leave(_:_:)``.
    func makeCollection<Model: StoreModel>(_ key: String?) -> CollectionCore<Model> {
        let key = key.map { CollectionKey(model: ObjectIdentifier(Model.self), key: $0) }
        // A core's key is the type it was made with.
        let known = key.flatMap { collections[$0] }.map { unsafeDowncast($0, to: CollectionCore<Model>.self) }
        let core = known ?? CollectionCore<Model>()
        core.users += 1
        if let key { collections[key] = core }
        return core
    }

    func leave<Model: StoreModel>(_ core: CollectionCore<Model>, _ key: String?) {
        core.users -= 1
        guard core.users == 0 else { return }
        if let key { collections[CollectionKey(model: ObjectIdentifier(Model.self), key: key)] = nil }
        core.unlinkAll(in: self)
        sweep()
    }

    // MARK: Changing

    /// Runs the changes of `body` as one, and queues one delivery for each projection and collection that they affect.
    ///
    /// - Parameter published: called when that is done, before unused nodes are removed.
    func transact(
        context: (any Sendable)?,
        origin: AnyListener?,
        _ body: (Graph) -> Void,
        published: (Transaction) -> Void = { _ in }
    ) {
        transaction = Transaction(number: transaction.number + 1, context: context, origin: origin)
        body(self)
        rewriteOwners()
        transaction.settle()
        publish()
        for follower in followers { follower.follow(transaction) }
        published(transaction)
        sweep()
        end()
    }

    /// Keeps nothing of the transaction but its number: what it holds dies with the deliveries, outside of the lock.
    private func end() {
        let ended = transaction
        transaction = Transaction(number: ended.number)
        if ended.context != nil || ended.origin != nil { outbox.append { withExtendedLifetime(ended) {} } }
    }

    /// Takes in a model and all that is in it; one that is equal to what is known changes nothing.
    ///
    /// - Returns: the model as it is known now, with one value for each thing in it.
    @discardableResult
    func set<Model: StoreModel>(_ model: Model) -> Model {
        absorption += 1
        return absorb(model)?.slot.value ?? model
    }

    /// Takes in a part of the model that is being set. Of two different values of one thing in it, the first counts.
    ///
    /// - Returns: where it is, and whether its value was taken; nil if it is inside of itself, where its values are not
    ///   followed.
    func absorb<Model: StoreModel>(_ model: Model) -> (slot: Slot<Model>, isTaken: Bool)? {
        let node = shelf(Model.self).makeNode(model.id)
        guard !node.isBeingAbsorbed else { return nil }
        let slot = node.makeSlot(of: Model.self)
        if keepsEverything { node.isPinned = true } else { suspects.append(node) }
        guard slot.takenIn != absorption else { return (slot, slot.value == model) }
        slot.takenIn = absorption
        guard slot.value != model else {
            // What is inside may have changed earlier in this transaction, and is set back by this.
            var mapper = ChildMapper(self, for: .absorb)
            _ = model.mappingChildren(&mapper)
            return (slot, true)
        }
        take(model, into: slot)
        if node.slots.count > 1 {
            for other in node.slots where other !== slot { other.merge(model, in: self) }
        }
        return (slot, true)
    }

    func take<Model: StoreModel>(_ model: Model, into slot: Slot<Model>) {
        slot.node.isBeingAbsorbed = true
        var mapper = ChildMapper(self, for: .absorb)
        _ = model.mappingChildren(&mapper)
        slot.node.isBeingAbsorbed = false
        slot.set(model, children: mapper.nodes, in: self)
        if mapper.hasOtherValues {
            slot.isDirty = true
            slot.rewrite(in: self)
        }
    }

    /// Takes away what is known of a thing, in all its projections.
    func remove<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) {
        guard let node = shelf(type).nodes[id] else { return }
        clear(node)
    }

    func removeAll() {
        for shelf in shelves.values {
            for node in shelf.allNodes { clear(node) }
        }
    }

    private func clear(_ node: Node) {
        for slot in node.slots { slot.clear(in: self) }
        node.isPinned = false
        suspect(node)
    }

    // MARK: What is reported

    /// A collection has other elements, or another order of them, than before.
    func changed(_ collection: AnyCollectionCore) {
        guard collection.changedIn != transaction.number else { return }
        collection.changedIn = transaction.number
        transaction.collections.append(collection)
    }

    /// The node may have lost who needed it.
    func suspect(_ node: Node) { suspects.append(node) }

    // MARK: The end of a transaction

    /// Rewrites all that holds what has changed, each once, after what it holds itself; collections, which have no parents, at
    /// last.
    private func rewriteOwners() {
        var order: [AnySlot] = []
        for slot in transaction.slots { collectOwners(of: slot.node, into: &order) }
        for owner in order.reversed() { owner.rewrite(in: self) }
        for collection in transaction.affected { collection.rewrite(in: self) }
    }

    /// Depth first with a stack of its own: what holds an owner comes before it.
    private func collectOwners(of node: Node, into order: inout [AnySlot]) {
        guard !node.parents.isEmpty else { return }
        var path: [(node: Node, next: Int, owner: AnySlot?)] = [(node, 0, nil)]
        while let top = path.last {
            if top.next < top.node.parents.count {
                path[path.count - 1].next += 1
                guard let owner = top.node.parents[top.next].slot, owner.visitedIn != transaction.number else {
                    continue
                }
                owner.visitedIn = transaction.number
                path.append((owner.node, 0, owner))
            } else {
                if let owner = top.owner { order.append(owner) }
                path.removeLast()
            }
        }
    }

    private func publish() {
        for slot in transaction.slots { slot.publish(transaction, in: self) }
        for collection in transaction.collections { collection.publish(transaction, in: self) }
        updates.publish((), version: transaction.number, transaction, in: self)
    }

    /// Removes unused nodes.
    func sweep() {
        while let node = suspects.popLast() {
            guard !node.isNeeded else { continue }
            for slot in node.slots { slot.replaceChildren(by: [], in: self) }
            node.leaveShelf()
        }
    }
}

/// Takes part in every update of a ``Graph``.
protocol TransactionFollower: AnyObject, Sendable {
    /// Called with the store's lock held, after all parents are rewritten and before unused nodes are removed.
    func follow(_ transaction: Transaction)
}

/// What one update has changed so far, and in the end its net effect. See ``Node`` for the proof of `@unchecked Sendable`.
final class Transaction: @unchecked Sendable {
    let number: Int
    let context: (any Sendable)?
    /// The listener on whose behalf it is made, which is not told of it; nil if all are to be told.
    let origin: AnyListener?
    /// The projections that have changed, what is held before what holds it where one has caused the other.
    var slots: [AnySlot] = []
    /// Those that have changed themselves.
    var collections: [AnyCollectionCore] = []
    /// Those in which something has changed, whether it is in them still or not.
    var affected: [AnyCollectionCore] = []
    /// Known when it is settled.
    private(set) var changes = StoreChanges()

    init(number: Int, context: (any Sendable)? = nil, origin: AnyListener? = nil) {
        self.number = number
        self.context = context
        self.origin = origin
    }

    /// Leaves the projections that have other values than before the update. To be called when everything is rewritten.
    func settle() {
        changes.update = number
        slots = slots.filter { slot in
            switch slot.settle() {
            case .none: return false
            case .new: return true
            case .other:
                // One projection that was known says that the thing was; that it is says any.
                if slot.node.hasValue { changes.updated.append(slot.node) } else { changes.deleted.append(slot.node) }
                return true
            }
        }
    }
}

extension Lock {
    borrowing func withLock<Result>(_ body: () -> Result) -> Result {
        lock()
        defer { unlock() }
        return body()
    }
}
