#if Sandbox
/// A log of events, numbered from 1 without gaps, and its subscribers.
struct EventLog<Event: Sendable>: Sendable {
    private var events: [Event] = []
    /// The number of the oldest event that is still held.
    private var first = 1

    /// The number of long polls and streams that wait for the next event.
    var subscribers = 0

    /// The last incident, and the number of incidents.
    private(set) var incident: (count: Int, kind: EventIncident?) = (0, nil)

    mutating func simulate(_ kind: EventIncident) { incident = (incident.count + 1, kind) }

    init() {}

    /// Creates the log from stored events, beginning after the last gap.
    init(stored: [(sequence: Int, event: Event)]) {
        for (sequence, event) in stored {
            if sequence != last + 1 {
                events = []
                first = sequence
            }
            append(event)
        }
    }

    /// The number of events kept; older ones are dropped.
    static var capacity: Int { 20_000 }

    /// The newest event that listeners receive while later ones are held back.
    private var held: Int?

    /// The number of the newest event; 0 if there was none.
    var last: Int { first + events.count - 1 }

    /// The number of the newest event that listeners receive.
    var announced: Int { min(held ?? last, last) }

    /// Whether new events are held back from listeners.
    var isHeld: Bool {
        get { held != nil }
        set { held = newValue ? held ?? last : nil }
    }

    @discardableResult
    mutating func append(_ event: Event) -> Int {
        events.append(event)
        if events.count > Self.capacity {
            let surplus = events.count - Self.capacity / 2
            events.removeFirst(surplus)
            first += surplus
        }
        return last
    }

    /// Returns the events after a number, with their numbers; none if the number is in the future.
    func events(after sequence: Int) -> [(sequence: Int, event: Event)] {
        let end = max(announced + 1 - first, 0)
        let start = min(max(sequence + 1 - first, 0), end)
        return events[start..<end].enumerated().map { (first + start + $0.offset, $0.element) }
    }
}
#endif
