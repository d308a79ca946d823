import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import TestSupport

/// What an SDK sends to one listener.
struct FeedSubscription: Sendable {
    let side: Side
    let listener: String
    let buffer = EventBuffer<SimulatedElement>()
    /// When the subscription begins.
    let begins: Duration
    private(set) var hasBegun = false
    private var arrivals: [(at: Duration, element: SimulatedElement)] = []

    init(side: Side, listener: String, begins: Duration) {
        (self.side, self.listener, self.begins) = (side, listener, begins)
    }

    /// - Parameter known: the events that happened before, on its side.
    mutating func begin(
        after known: some Collection<SimulatedEvent>,
        _ manners: FeedManners,
        now: Duration,
        _ dice: inout Dice
    ) {
        hasBegun = true
        arrive(.acknowledged, now: now, &dice)
        guard side == .candidate else { return }
        for event in known.suffix(manners.replay) { emit(event, manners, now: now, &dice) }
        arrive(.replayEnded, now: now, &dice)
    }

    mutating func emit(_ event: SimulatedEvent, _ manners: FeedManners, now: Duration, _ dice: inout Dice) {
        let isEchoed = event.isOwn && side == .candidate
        let isRepeated = side == .candidate && dice.roll(100) < manners.repeats
        for isEcho in (isEchoed ? [true] : []) + [false] + (isRepeated ? [false] : []) {
            arrive(.event(event, isEcho: isEcho), now: now, &dice)
        }
    }

    /// In order, after at most three quarters of a round trip.
    private mutating func arrive(_ element: SimulatedElement, now: Duration, _ dice: inout Dice) {
        let at = max(arrivals.last?.at ?? now, now + .milliseconds(1 + dice.roll(1_500)))
        arrivals.append((at, element))
    }

    /// Returns what has arrived by now, once.
    mutating func takeArrived(by now: Duration) -> [SimulatedElement] {
        let due = arrivals.prefix { $0.at <= now }.map(\.element)
        arrivals.removeFirst(due.count)
        return due
    }
}
