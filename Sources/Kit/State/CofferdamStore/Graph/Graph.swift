import Cofferdam
import CofferdamState

/// Everything that a store knows. Each entity exists once, with edges to what contains it, so that an update costs as
/// much as what it affects.
///
/// See ``Node`` for the proof of `@unchecked Sendable`.
final class Graph: @unchecked Sendable {
    /// Deliveries in the order of the changes; one thread at a time runs them, outside the lock.
    var outbox: [@Sendable () -> Void] = []
    var isDraining = false
    /// The listeners of every update.
    let updates = UpdateHub()
    /// The followers of every update.
    var followers: [any TransactionFollower] = []

    private let keepsEverything: Bool
    private var collections: [CollectionKey: AnyCollectionCore] = [:]
    private var shelves: [ShelfKey: AnyShelf] = [:]
    /// The last update, or the current one.
    private(set) var transaction = Transaction(number: 0)
    /// Counts the models that were set.
    private var absorption = 0
    private var suspects: [Node] = []
    /// The last one for which owners were collected.
    private var pass = 0
    private var pending = PendingLayers<PendingStoreChange>()
    /// What the pending changes cover, between transactions.
    private(set) var cover: Cover?
    /// What they covered before this transaction, while they are lifted off.
    private(set) var lifted: Cover?
    /// Notes the changes of this transaction that are pending ones.
    private(set) var covering: Cover?
    /// The load that this transaction answers.
    private var load: StoreLoad?
    /// How many loads are in flight, by the update before which each began.
    private var loads: [Int: Int] = [:]

    private struct ShelfKey: Hashable {
        let entity: ObjectIdentifier
        let id: ObjectIdentifier
    }

    init(keepsEverything: Bool) { self.keepsEverything = keepsEverything }

    /// Whether there are deliveries that no other thread is draining.
    func beginsDraining() -> Bool {
        guard !isDraining, !outbox.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// The next deliveries; nil if there are none, which ends the draining.
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
        shelf(type).node(id)?.slot(of: type)
    }

    /// The slot to listen to, with or without a value.
    func makeSlot<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) -> Slot<Model> {
        shelf(type).makeNode(id).makeSlot(of: type)
    }

    /// The node of an entity, or a node outside the graph if the entity is unknown.
    func node<Model: StoreModel>(of model: Model) -> Node {
        let shelf = shelf(Model.self)
        return shelf.node(model.id) ?? EntityNode(id: model.id, shelf: shelf)
    }

    private func shelf<Model: StoreModel>(_ type: Model.Type) -> Shelf<Model.Entity, Model.ID> {
        let key = ShelfKey(entity: ObjectIdentifier(Model.Entity.self), id: ObjectIdentifier(Model.ID.self))
        // A shelf's key is the types that it was made with.
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

    /// The collection with that key, or a new one; ``leave(_:_:)`` releases it.
    func makeCollection<Model: StoreModel>(_ key: String?) -> CollectionCore<Model> {
        let key = key.map { CollectionKey(model: ObjectIdentifier(Model.self), key: $0) }
        // A core's key is the type that it was made with.
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

    /// Runs the changes of `body` as one update, and queues one delivery for each projection and collection that it
    /// affects.
    ///
    /// - Parameter published: called when the deliveries are queued, before unused nodes are removed.
    func transact(
        context: (any Sendable)?,
        origin: AnyListener?,
        answering load: StoreLoad? = nil,
        _ body: (Graph) -> Void,
        published: (Transaction) -> Void = { _ in }
    ) {
        transaction = Transaction(number: transaction.number + 1, context: context, origin: origin)
        self.load = load
        let start = UpdateStart(number: transaction.number, absorption: absorption)
        (lifted, cover) = (cover, nil)
        lifted?.lift(in: self)
        body(self)
        rewriteOwners()
        let isCovered = lifted != nil || !pending.isEmpty
        if isCovered {
            // What is saved contains no pending change.
            for follower in followers { follower.follow(transaction) }
            dropSettled(by: load, start)
            putPendingOnTop()
        }
        transaction.settle()
        publish()
        if !isCovered { for follower in followers { follower.follow(transaction) } }
        published(transaction)
        (self.load, lifted) = (nil, nil)
        sweep()
        end()
    }

    /// Keeps only the transaction's number: everything else is freed with the deliveries, outside the lock.
    private func end() {
        let ended = transaction
        transaction = Transaction(number: ended.number)
        if ended.context != nil || ended.origin != nil { outbox.append { withExtendedLifetime(ended) {} } }
    }

    /// Adds a model and everything in it; values equal to the known ones change nothing.
    ///
    /// - Returns: the model as it is known now, with one value for each entity in it.
    @discardableResult
    func set<Model: StoreModel>(_ model: Model, isPart: Bool = false) -> Model {
        absorption += 1
        return absorb(model, isPart: isPart)?.slot.value ?? model
    }

    /// Adds a part of the model that is being set. If it contains different values of one entity, the first counts.
    ///
    /// - Returns: its slot, and whether its value was taken; nil for a model inside itself, whose values are ignored.
    ///
    /// - Parameter isPart: whether it comes in another model or in a list.
    func absorb<Model: StoreModel>(_ model: Model, isPart: Bool = false) -> (slot: Slot<Model>, isTaken: Bool)? {
        let shelf = shelf(Model.self)
        let node = shelf.makeNode(model.id)
        guard !node.isBeingAbsorbed else { return nil }
        let slot = node.makeSlot(of: Model.self)
        if node.id != model.id {
            // It has another id by now, and what is known of it is newer than a part with the old one.
            if isPart, slot.value != nil { return (slot, false) }
            return model.renamed(to: node.id).flatMap { absorb($0, isPart: isPart) }.map { ($0.slot, false) }
        }
        // A part as it was shown, with its pending changes, says nothing about what is below them.
        if isPart, load == nil, slot.value != nil, let lifted, lifted.contains(slot), slot.wasShown(model) {
            return (slot, slot.value == model)
        }
        covering?.hold(node)
        if keepsEverything { node.isPinned = true } else { suspects.append(node) }
        guard slot.absorbedIn != absorption else { return (slot, slot.value == model) }
        slot.absorbedIn = absorption
        guard slot.value != model else {
            // Its children may have changed earlier in this transaction; this value resets them.
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

    /// Removes an entity, with all its projections.
    func remove<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) {
        guard let node = shelf(type).node(id) else { return }
        clear(node)
    }

    /// Gives an entity another id. If the new one is known already, its values stay.
    func rename<Model: RenamableModel>(_ type: Model.Type, _ old: Model.ID, to new: Model.ID) {
        let shelf = shelf(type)
        let (node, target) = (shelf.makeNode(old), shelf.makeNode(new))
        guard node !== target else { return }
        if keepsEverything { target.isPinned = true }
        let slots = node.slots
        for slot in slots { slot.rename(to: target, in: self) }
        var lists: [AnyCollectionCore] = []
        for case let list? in node.parents.map(\.leaf?.collection) where !lists.contains(where: { $0 === list }) {
            lists.append(list)
        }
        for list in lists { list.rename(node, to: target, in: self) }
        shelf.rename(node.id, to: target.id)
        node.isRenamed = true
        node.isPinned = false
        suspect(node)
        suspect(target)
    }

    /// Removes the pending changes too.
    func removeAll() {
        dropPending { _ in true }
        for shelf in shelves.values {
            for node in shelf.allNodes { clear(node) }
            shelf.forgetNames()
        }
    }

    private func clear(_ node: Node) {
        absorption += 1
        covering?.hold(node)
        for slot in node.slots {
            slot.absorbedIn = absorption
            slot.clear(in: self)
        }
        node.isPinned = false
        node.isRenamed = false
        suspect(node)
    }

    // MARK: Pending changes

    /// Whether pending changes are lifted off the list in the current transaction.
    func isLifted(_ list: AnyCollectionCore) -> Bool { lifted?.contains(list) ?? false }

    /// Whether pending changes cover anything, or that list.
    var isCovered: Bool { cover != nil }
    func isCovered(_ list: AnyCollectionCore) -> Bool { cover?.contains(list) ?? false }

    /// - Returns: the number of the change.
    func addPending(_ change: PendingStoreChange) -> Int {
        pending.add(change, as: transaction.number)
        return transaction.number
    }

    /// - Returns: false if the change is not pending any more.
    func takeBack(_ number: Int) -> Bool {
        guard pending.contains(number) else { return false }
        free(pending)
        pending.takeBack(number)
        return true
    }

    /// - Parameter known: what the server has made of it; nil if it does not say.
    /// - Returns: false if the change is not pending any more.
    func confirm(_ number: Int, as known: (@Sendable (Graph) -> Void)? = nil) -> Bool {
        let layer = pending.layers.first { $0.number == number && $0.confirmation == nil }
        guard let layer else { return false }
        free(pending)
        guard let known else {
            pending.confirm(number, .made(before: transaction.number))
            return true
        }
        known(self)
        guard !loads.isEmpty else {
            pending.takeBack(number)
            return true
        }
        let change = PendingStoreChange(apply: known, isAnswered: layer.change.isAnswered)
        pending.confirm(number, .known(before: transaction.number), as: change)
        return true
    }

    /// Drops the pending changes of what this update has set or removed so far.
    func dropAnswered(since start: UpdateStart) { dropPending { $0.isAnswered(self, start) } }

    var updateStart: UpdateStart { UpdateStart(number: transaction.number, absorption: absorption) }

    /// Whether an update has set or removed that model.
    func hasSet<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID, since start: UpdateStart) -> Bool {
        shelf(type).node(id)?.slots.contains { $0.absorbedIn > start.absorption } ?? false
    }

    private func dropPending(where isDropped: (PendingStoreChange) -> Bool) {
        free(pending)
        pending.removeAll { isDropped($0.change) }
    }

    /// What changes capture is freed outside of the lock.
    private func free(_ changes: PendingLayers<PendingStoreChange>) {
        if !changes.isEmpty { outbox.append { withExtendedLifetime(changes) {} } }
    }

    /// Drops the confirmed changes that are part of what this transaction has set.
    private func dropSettled(by load: StoreLoad?, _ start: UpdateStart) {
        guard pending.layers.contains(where: { $0.confirmation != nil }) else { return }
        free(pending)
        pending.removeAll { layer in
            let last: Int
            switch layer.confirmation {
            case nil: return false
            case .made(let number): last = number
            case .known(let number): last = number
            }
            if let load, load.began >= last, layer.change.isAnswered(self, start) { return true }
            guard case .known = layer.confirmation, !loads.keys.contains(where: { $0 < last }) else { return false }
            layer.change.apply(self)
            rewriteOwners()
            return true
        }
    }

    private func putPendingOnTop() {
        guard !pending.isEmpty else { return }
        let cover = Cover()
        covering = cover
        for layer in pending.layers {
            layer.change.apply(self)
            rewriteOwners()
        }
        covering = nil
        self.cover = cover
    }

    /// The value without pending changes, between transactions.
    func settled<Model: StoreModel>(_ type: Model.Type, _ id: Model.ID) -> Model? {
        guard let slot = slot(type, id) else { return nil }
        return cover.map { $0.value(below: slot) } ?? slot.value
    }

    /// The elements without pending changes, between transactions.
    func settled<Model: StoreModel>(_ list: CollectionCore<Model>) -> PersistentList<Model> {
        cover?.elements(below: list) ?? list.elements
    }

    func began(_ load: Int) { loads[load, default: 0] += 1 }

    func ended(_ load: Int) {
        loads[load, default: 0] -= 1
        if loads[load] == 0 { loads[load] = nil }
    }

    // MARK: What is reported

    /// The collection has other elements than before, or another order.
    func changed(_ collection: AnyCollectionCore) {
        guard collection.changedIn != transaction.number else { return }
        collection.changedIn = transaction.number
        transaction.collections.append(collection)
    }

    /// The node may be unused now.
    func suspect(_ node: Node) { suspects.append(node) }

    // MARK: The end of a transaction

    /// Rewrites everything that contains a changed entity, each container once, after its own contents; collections,
    /// which have no parents, come last.
    private func rewriteOwners() {
        pass += 1
        var order: [AnySlot] = []
        for slot in transaction.slots { collectOwners(of: slot.node, into: &order) }
        for owner in order.reversed() { owner.rewrite(in: self) }
        for collection in transaction.affected { collection.rewrite(in: self) }
    }

    /// Depth first, on its own stack: an owner's containers come before it in the result.
    private func collectOwners(of node: Node, into order: inout [AnySlot]) {
        guard !node.parents.isEmpty else { return }
        var path: [(node: Node, next: Int, owner: AnySlot?)] = [(node, 0, nil)]
        while let top = path.last {
            if top.next < top.node.parents.count {
                path[path.count - 1].next += 1
                guard let owner = top.node.parents[top.next].slot, owner.visitedIn != pass else {
                    continue
                }
                owner.visitedIn = pass
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

/// What one update has changed so far, and in the end its net effect. See ``Node`` for the proof of `@unchecked
/// Sendable`.
final class Transaction: @unchecked Sendable {
    let number: Int
    let context: (any Sendable)?
    /// The listener that made the update, which is not notified; nil to notify all.
    let origin: AnyListener?
    /// The changed projections; a projection comes before those that contain it if it caused their change.
    var slots: [AnySlot] = []
    /// The collections that changed themselves.
    var collections: [AnyCollectionCore] = []
    /// The collections with a changed element, even if the element is gone from them.
    var affected: [AnyCollectionCore] = []
    /// Complete once the update is settled.
    private(set) var changes = StoreChanges()

    init(number: Int, context: (any Sendable)? = nil, origin: AnyListener? = nil) {
        self.number = number
        self.context = context
        self.origin = origin
    }

    /// Keeps the projections whose values differ from those before the update. Call it once everything is rewritten.
    func settle() {
        changes.update = number
        slots = slots.filter { slot in
            switch slot.settle() {
            case .none: return false
            case .new: return true
            case .other:
                // The entity was known if one of its projections was; it still exists if any of them has a value.
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
