import Cofferdam

/// A move of a stream that is under way: what is known of the new side, and of the old one.
struct StreamMove<Element: Sendable>: Sendable {
    enum Phase: Sendable {
        /// The new side is not known to be in step.
        case opening
        /// Both sides are listened to; the old one's elements are told.
        case overlapping
        /// The old side has had its round trip, and is not asked for more; the new one may still come to what was told last. If
        /// something of the old one comes after all, a new round trip begins.
        case holding
        /// The old side is left; a list is asked for what both may have missed.
        case listing
    }

    /// An element of the new side, not told yet.
    struct Heard: Sendable {
        var element: Element
        /// As it was told first, and again: an echo has another id.
        var items: [StreamItem]
        var isReplay: Bool
    }

    let from: Side
    let to: Side
    /// What the new side tells where its subscription begins.
    let beginning: StreamHandover<Element>.Beginning
    var phase = Phase.opening
    /// Why the old side has ended; nil while it is there.
    var oldEnd: OldEnd?
    var isAcknowledged = false
    private var isReplaying: Bool
    /// Whether what the old side had on its way when the new one was subscribed has arrived.
    var isComplete = false
    /// Names the round trip, or the holding, that is waited for.
    var wait = 0
    /// Whether it should have been over by now.
    var isOverdue = false
    private(set) var heard: [Heard] = []
    /// Where in ``heard`` they were told first.
    private var places: [DeliveredItems.Key: Int] = [:]
    /// The new side's last element that is about no item.
    private(set) var condition: Element?

    struct OldEnd: Sendable { var error: (any Error)? }

    init(from: Side, to: Side, beginning: StreamHandover<Element>.Beginning) {
        (self.from, self.to, self.beginning) = (from, to, beginning)
        isReplaying = if case .until = beginning.replay { true } else { false }
    }

    var isInStep: Bool { isAcknowledged && !isReplaying }

    mutating func hear(_ element: Element, _ item: StreamItem?) {
        if beginning.acknowledges?(element) ?? true { isAcknowledged = true }
        if let item {
            let isReplay = if case .unmarked = beginning.replay { true } else { isReplaying }
            if !hearAgain(item) {
                for key in item.keys { places[key] = heard.endIndex }
                heard.append(Heard(element: element, items: [item], isReplay: isReplay))
            }
        } else {
            condition = element
        }
        if case .until(let isEnd) = beginning.replay, isEnd(element) { isReplaying = false }
    }

    /// Keeps under which id an item was told again.
    ///
    /// - Returns: whether it was heard before.
    mutating func hearAgain(_ item: StreamItem) -> Bool {
        guard let place = item.keys.compactMap({ places[$0] }).first else { return false }
        if !heard[place].items.contains(item) { heard[place].items.append(item) }
        for key in item.keys { places[key] = place }
        return true
    }

    func hasHeard(_ item: StreamItem) -> Bool { item.keys.contains { places[$0] != nil } }
}
