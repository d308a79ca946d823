import Cofferdam

@testable import CofferdamUpgrade

/// What happens at the backend while nobody asks, and the streams in which both SDKs tell of it.
///
/// It has a time of its own, which goes on only while nobody has anything to do, so that an event takes no longer than it
/// should, however busy the machine is. What it does, and what it leaves out, stands in its ledger.
final class ChaosFeed: Sendable {
    /// What the SDKs do in this run.
    private struct Manners {
        let replay: Int
        let acknowledges: Bool
        /// In percent.
        let skips: Int
        let repeats: Int
        /// In a thousand of ticks.
        let failures: Int

        init(_ dice: inout Dice) {
            replay = [0, 3, 50][dice.roll(3)]
            acknowledges = dice.roll(3) > 0
            skips = dice.roll(2) == 0 ? 0 : dice.roll(40)
            repeats = dice.roll(2) == 0 ? 0 : dice.roll(40)
            failures = dice.roll(2) == 0 ? 0 : dice.roll(8)
        }
    }

    private struct Event {
        var event: SimulatedEvent
        /// Nil where both sides tell of it.
        var side: Side?
    }

    /// What an SDK tells one listener.
    private struct Subscription {
        let side: Side
        let listener: String
        let buffer = EventBuffer<SimulatedElement>()
        var begins: Duration
        var hasBegun = false
        var arrivals: [(at: Duration, element: SimulatedElement)] = []

        /// In order, after at most three quarters of a round trip.
        mutating func arrive(_ element: SimulatedElement, now: Duration, _ dice: inout Dice) {
            let at = max(arrivals.last?.at ?? now, now + .milliseconds(1 + dice.roll(1_500)))
            arrivals.append((at, element))
        }
    }

    private struct State {
        var dice: Dice
        var events: [Event] = []
        var deleted: Set<Int> = []
        var subscriptions: [Int: Subscription] = [:]
        var count = 0
        /// After which there need be no other.
        var last: Set<Int> = []
        var isCalm = false
    }

    let clock = HandClock()
    let executor = HandExecutor()
    let moving: Moving<SimulatedElement>
    private let manners: Manners
    private let run: String
    private let backing: Backing
    private let ledger: Ledger
    private let state: Mutex<State>

    /// - Parameter run: names this feed's events among those of other processes.
    init(run: String, backing: Backing, ledger: Ledger, seed: UInt64) {
        var dice = Dice(seed: seed &+ 77)
        manners = Manners(&dice)
        moving = .simulated(acknowledges: manners.acknowledges)
        (self.run, self.backing, self.ledger) = (run, backing, ledger)
        state = Mutex(State(dice: dice))
    }

    /// A side's stream, for that listener.
    func events(_ side: Side, for listener: String) -> any AsyncSequence<SimulatedElement, any Error> & Sendable {
        let (number, buffer) = state.withLock { state in
            state.count += 1
            let begins = clock.now.offset + .milliseconds(1 + state.dice.roll(400))
            let subscription = Subscription(side: side, listener: listener, begins: begins)
            state.subscriptions[state.count] = subscription
            ledger.add("open", listener)
            return (state.count, subscription.buffer)
        }
        buffer.onTermination { [weak self] in
            self?.state.withLock { _ = $0.subscriptions.removeValue(forKey: number) }
        }
        return buffer.events
    }

    /// What a side has after that event, in its order.
    func list(_ side: Side, after number: Int) -> [SimulatedElement] {
        state.withLock { state in
            state.events.suffix(from: min(number + 1, state.events.count))
                .filter { $0.side == nil || $0.side == side }
                .map { .event($0.event, isEcho: false) }
        }
    }

    /// A quarter of a second goes by.
    func tick() {
        rest()
        var deliveries: [@Sendable () -> Void] = []
        let now = clock.now.offset + .milliseconds(250)
        state.withLock { state in
            while state.last.isEmpty, state.dice.roll(4) == 0 { publish(&state, now: now) }
            for number in state.subscriptions.keys.sorted() { go(number, &state, now: now, &deliveries) }
        }
        for deliver in deliveries { deliver() }
        rest()
        clock.advance(by: .milliseconds(250))
        rest()
    }

    /// Nothing goes wrong any more.
    func calm() { state.withLock { $0.isCalm = true } }

    /// Tells of one thing more, on each side.
    func publishLast() {
        state.withLock { state in
            let now = clock.now.offset
            for side in backing == .separate ? Side.allCases : [.legacy] {
                state.last.insert(state.events.count)
                publish(&state, now: now, on: side)
            }
        }
    }

    /// Whether it is one after which there need be no other.
    func isLast(_ number: Int) -> Bool { state.withLock { $0.last.contains(number) } }

    /// Everybody does what he can without waiting, in any order.
    private func rest() {
        while executor.count > 0 {
            let count = executor.count
            executor.run(state.withLock { $0.dice.roll(count) })
        }
    }

    private func publish(_ state: inout State, now: Duration, on side: Side? = nil) {
        let chosen: Side = state.dice.roll(2) == 0 ? .legacy : .candidate
        let side = backing == .separate ? side ?? chosen : nil
        var event = SimulatedEvent(number: state.events.count)
        let recent = state.events.suffix(20).filter {
            $0.side == side && $0.event.deletes == nil && !state.deleted.contains($0.event.number)
        }
        if state.dice.roll(7) == 0, let deleted = recent.randomElement(using: &state.dice) {
            event.deletes = deleted.event.number
            state.deleted.insert(deleted.event.number)
        } else {
            event.isOwn = state.dice.roll(5) == 0
        }
        state.events.append(Event(event: event, side: side))
        ledger.add(
            "event",
            run,
            "\(event.number)",
            side.map { "\($0)" } ?? "both",
            event.deletes.map(String.init) ?? "-"
        )
        for (number, subscription) in state.subscriptions where subscription.hasBegun {
            guard side == nil || subscription.side == side else { continue }
            if subscription.side == .legacy, !state.isCalm, state.dice.roll(100) < manners.skips {
                ledger.add("skip", subscription.listener, "\(event.number)")
            } else {
                tell(event, to: number, &state, now: now)
            }
        }
    }

    private func tell(_ event: SimulatedEvent, to number: Int, _ state: inout State, now: Duration) {
        guard let side = state.subscriptions[number]?.side else { return }
        let isEchoed = event.isOwn && side == .candidate
        let isRepeated = side == .candidate && state.dice.roll(100) < manners.repeats
        for isEcho in (isEchoed ? [true] : []) + [false] + (isRepeated ? [false] : []) {
            state.subscriptions[number]?.arrive(.event(event, isEcho: isEcho), now: now, &state.dice)
        }
    }

    /// One subscription's quarter of a second.
    private func go(_ number: Int, _ state: inout State, now: Duration, _ deliveries: inout [@Sendable () -> Void]) {
        guard let subscription = state.subscriptions[number] else { return }
        let buffer = subscription.buffer
        if !state.isCalm, state.dice.roll(1_000) < manners.failures {
            state.subscriptions[number] = nil
            deliveries.append { buffer.finish(throwing: ZooError(meaning: .failed, kind: "stream")) }
            return
        }
        if !subscription.hasBegun, subscription.begins <= now { begin(number, subscription, &state, now: now) }
        let arrivals = state.subscriptions[number]?.arrivals ?? []
        let due = arrivals.prefix { $0.at <= now }
        state.subscriptions[number]?.arrivals.removeFirst(due.count)
        for (_, element) in due {
            deliveries.append { buffer.send(element, overflow: { ZooError(meaning: .failed, kind: "behind") }) }
        }
    }

    private func begin(_ number: Int, _ subscription: Subscription, _ state: inout State, now: Duration) {
        state.subscriptions[number]?.hasBegun = true
        state.subscriptions[number]?.arrive(.acknowledged, now: now, &state.dice)
        guard subscription.side == .candidate else { return }
        let known = state.events.suffix(200).filter { $0.side == nil || $0.side == .candidate }.suffix(manners.replay)
        for event in known { tell(event.event, to: number, &state, now: now) }
        state.subscriptions[number]?.arrive(.replayEnded, now: now, &state.dice)
    }
}
