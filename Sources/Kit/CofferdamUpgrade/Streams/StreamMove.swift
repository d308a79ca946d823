/// A move of a stream that is under way: what is known of the new side, and of the old one.
struct StreamMove<Element: Sendable>: Sendable {
    enum Phase: Sendable {
        /// The new side is not known to be in step.
        case opening
        /// Both sides are listened to; the old one's elements are told.
        case overlapping
        /// The old side has had its round trip, and is not asked for more; the new one may still come to what was told last.
        case holding
        /// The old side is left; a list is asked for what both may have missed.
        case listing
    }

    /// An element of the new side, not told yet.
    struct Heard: Sendable {
        var element: Element
        var item: StreamItem
        var isReplay: Bool
    }

    let from: Side
    let to: Side
    var phase = Phase.opening
    /// Why the old side has ended; nil while it is there.
    var oldEnd: OldEnd?
    var isAcknowledged = false
    var isReplaying: Bool
    /// Whether what the old side had on its way when the new one was subscribed has arrived.
    var isComplete = false
    private(set) var heard: [Heard] = []
    private var keys: Set<ToldItems.Key> = []
    /// The new side's last element that is about no item.
    var condition: Element?

    struct OldEnd: Sendable { var error: (any Error)? }

    init(from: Side, to: Side, isReplaying: Bool) {
        (self.from, self.to, self.isReplaying) = (from, to, isReplaying)
    }

    var isInStep: Bool { isAcknowledged && !isReplaying }

    mutating func hear(_ element: Element, _ item: StreamItem, isReplay: Bool) {
        heard.append(Heard(element: element, item: item, isReplay: isReplay))
        keys.formUnion(item.keys)
    }

    func hasHeard(_ item: StreamItem) -> Bool { item.keys.contains { keys.contains($0) } }
}
