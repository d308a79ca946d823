/// Takes part in every update of a ``Graph``.
protocol TransactionFollower: AnyObject, Sendable {
    /// Called with the store's lock held, when everything is rewritten and what nobody needs is not forgotten yet.
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
