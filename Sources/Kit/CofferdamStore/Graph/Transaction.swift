/// Takes part in every update of a ``Graph``.
protocol TransactionFollower: AnyObject, Sendable {
    /// Called with the store's lock held, when everything is rewritten and what nobody needs is not forgotten yet.
    func follow(_ transaction: Transaction)
}

/// What one update has changed so far. See ``Node`` for the proof of `@unchecked Sendable`.
final class Transaction: @unchecked Sendable {
    let number: Int
    let context: (any Sendable)?
    /// The listener on whose behalf it is made, which is not told of it; nil if everybody is to be told.
    let origin: AnyListener?
    /// The projections that have changed, what is held before what holds it where one has caused the other.
    var slots: [AnySlot] = []
    var collections: [AnyCollectionCore] = []
    private var newNodes: Set<ObjectIdentifier> = []

    init(number: Int, context: (any Sendable)? = nil, origin: AnyListener? = nil) {
        self.number = number
        self.context = context
        self.origin = origin
    }

    func note(_ slot: AnySlot, isNew: Bool) {
        if isNew { newNodes.insert(ObjectIdentifier(slot.node)) }
    }

    /// Known when everything is rewritten.
    private(set) lazy var changes: StoreChanges = {
        var changes = StoreChanges()
        changes.update = number
        for slot in slots {
            if !slot.hasValue {
                changes.deleted.append(slot.node)
            } else if newNodes.isEmpty || !newNodes.contains(ObjectIdentifier(slot.node)) {
                changes.updated.append(slot.node)
            }
        }
        return changes
    }()
}
