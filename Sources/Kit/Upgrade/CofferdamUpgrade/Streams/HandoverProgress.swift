import Cofferdam

/// The state of a handover: what is known about the new side and the old one.
struct HandoverProgress<Element: Sendable>: Sendable {
    enum Phase: Sendable {
        /// The new side has not caught up yet.
        case opening
        /// Both sides are subscribed; the old one's elements are delivered.
        case overlapping
        /// The old side has had its round trip and is no longer read; the new one may still send the last element
        /// delivered. If the old side sends another element after all, a new round trip begins.
        case holding
        /// The old side is unsubscribed; the list is asked for elements that both sides may have missed.
        case listing
    }

    /// An element of the new side that is not delivered yet.
    struct Buffered: Sendable {
        var element: Element
        var event: StreamEvent
        var isReplay: Bool
    }

    let from: Side
    let to: Side
    /// What the new side sends at the start of a subscription.
    let beginning: StreamHandover<Element>.Beginning
    var phase = Phase.opening
    /// How the old side ended; nil until then.
    var oldEnd: End?
    /// How the new side ended while the list was asked; nil until then.
    var newEnd: End?
    var isAcknowledged = false
    private var isReplaying: Bool
    /// Whether the elements that were on their way from the old side have arrived.
    var isComplete = false
    /// The number of the timer that is awaited.
    var wait = 0
    /// Whether the handover has passed its deadline.
    var isOverdue = false
    private(set) var buffered: [Buffered] = []
    /// The index in ``buffered`` of each key.
    private var places: [DeliveredItems.Key: Int] = [:]
    /// The last element of the new side that concerns no item.
    private(set) var condition: Element?

    struct End: Sendable { var error: (any Error)? }

    init(from: Side, to: Side, beginning: StreamHandover<Element>.Beginning) {
        (self.from, self.to, self.beginning) = (from, to, beginning)
        isReplaying = if case .until = beginning.replay { true } else { false }
    }

    var isCaughtUp: Bool { isAcknowledged && !isReplaying }

    mutating func buffer(_ element: Element, _ item: StreamItem?) {
        if beginning.acknowledges?(element) ?? true { isAcknowledged = true }
        if let item {
            let isReplay = if case .unmarked = beginning.replay { true } else { isReplaying }
            if !noteDuplicate(item) {
                for key in item.keys { places[key] = buffered.endIndex }
                buffered.append(Buffered(element: element, event: StreamEvent(item), isReplay: isReplay))
            }
        } else {
            condition = element
        }
        if case .until(let isEnd) = beginning.replay, isEnd(element) { isReplaying = false }
    }

    /// Records another id of an item that is buffered already.
    ///
    /// - Returns: whether the item was buffered before.
    mutating func noteDuplicate(_ item: StreamItem) -> Bool {
        guard let place = item.keys.compactMap({ places[$0] }).first else { return false }
        if !buffered[place].event.contains(where: { $0 == item }) { buffered[place].event.others.append(item) }
        for key in item.keys { places[key] = place }
        return true
    }

    func hasBuffered(_ item: StreamItem) -> Bool { item.keys.contains { places[$0] != nil } }
}
