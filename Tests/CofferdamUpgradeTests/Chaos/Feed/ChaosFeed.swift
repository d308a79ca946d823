import Cofferdam
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import TestSupport

/// Events at the backend, and the streams in which both SDKs report them.
///
/// Its own clock advances only while everything is idle, so that an event takes no longer than it should, however busy
/// the machine is. The ledger has what the feed does and what it leaves out.
final class ChaosFeed: Sendable {
    private struct Event {
        var event: SimulatedEvent
        /// Nil if both sides report the event.
        var side: Side?
    }

    private struct State {
        var dice: Dice
        var events: [Event] = []
        var deleted: Set<Int> = []
        var subscriptions: [Int: FeedSubscription] = [:]
        var count = 0
        /// Each of these may be the last event.
        var last: Set<Int> = []
        var isCalm = false
    }

    let clock = TestClock()
    let executor = ManualExecutor()
    let handover: StreamHandover<SimulatedElement>
    private let manners: FeedManners
    private let run: String
    private let dataOwnership: DataOwnership
    private let ledger: Ledger
    private let state: Mutex<State>

    /// - Parameter run: distinguishes this feed's events from those of other processes.
    init(run: String, dataOwnership: DataOwnership, ledger: Ledger, seed: UInt64) {
        var dice = Dice(seed: seed &+ 77)
        manners = FeedManners(&dice)
        handover = .simulated(acknowledges: manners.acknowledges)
        (self.run, self.dataOwnership, self.ledger) = (run, dataOwnership, ledger)
        state = Mutex(State(dice: dice))
    }

    /// A side's stream, for the given listener.
    func events(_ side: Side, for listener: String) -> any AsyncSequence<SimulatedElement, any Error> & Sendable {
        let (number, buffer) = state.withLock { state in
            state.count += 1
            let begins = clock.now.offset + .milliseconds(1 + state.dice.roll(400))
            let subscription = FeedSubscription(side: side, listener: listener, begins: begins)
            state.subscriptions[state.count] = subscription
            ledger.add("open", listener, "\(side)", "\(state.count)")
            return (state.count, subscription.buffer)
        }
        buffer.onTermination { [weak self] in
            self?.state.withLock { _ = $0.subscriptions.removeValue(forKey: number) }
        }
        return buffer.events
    }

    /// The events of a side after the given one, in its order.
    func list(_ side: Side, after number: Int) -> [SimulatedElement] {
        state.withLock { state in
            state.events.suffix(from: min(number + 1, state.events.count))
                .filter { $0.side == nil || $0.side == side }
                .map { .event($0.event, isEcho: false) }
        }
    }

    /// A quarter of a second passes.
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

    /// From now on nothing fails.
    func calm() { state.withLock { $0.isCalm = true } }

    /// Reports one more event, on each side.
    func publishLast() {
        state.withLock { state in
            let now = clock.now.offset
            for side in dataOwnership == .separate ? Side.allCases : [.legacy] {
                state.last.insert(state.events.count)
                publish(&state, now: now, on: side)
            }
        }
    }

    /// Whether this may be the last event.
    func isLast(_ number: Int) -> Bool { state.withLock { $0.last.contains(number) } }

    /// Runs on the feed's executor while its clock stands still.
    func standingStill(_ body: @escaping @Sendable () async -> Void) async {
        let done = Log<Void>()
        executor.task {
            await body()
            done.add(())
        }
        while done.entries.isEmpty {
            rest()
            await Task.yield()
        }
    }

    /// Runs, in random order, every job that can run without waiting.
    private func rest() {
        while executor.count > 0 {
            let count = executor.count
            executor.run(state.withLock { $0.dice.roll(count) })
        }
    }

    private func publish(_ state: inout State, now: Duration, on side: Side? = nil) {
        let chosen: Side = state.dice.roll(2) == 0 ? .legacy : .candidate
        let side = dataOwnership == .separate ? side ?? chosen : nil
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
                state.subscriptions[number]?.emit(event, manners, now: now, &state.dice)
            }
        }
    }

    /// Advances one subscription by a quarter of a second.
    private func go(_ number: Int, _ state: inout State, now: Duration, _ deliveries: inout [@Sendable () -> Void]) {
        guard var subscription = state.subscriptions[number] else { return }
        let buffer = subscription.buffer
        if !state.isCalm, state.dice.roll(1_000) < manners.failures {
            state.subscriptions[number] = nil
            deliveries.append { buffer.finish(throwing: ZooError(meaning: .failed, kind: "stream")) }
            return
        }
        if !subscription.hasBegun, subscription.begins <= now {
            let known = state.events.suffix(200).filter { $0.side == nil || $0.side == subscription.side }
            subscription.begin(after: known.map(\.event), manners, now: now, &state.dice)
            ledger.add("begin", subscription.listener, "\(number)", "\(state.events.count)")
        }
        for element in subscription.takeArrived(by: now) {
            deliveries.append { buffer.send(element, overflow: { ZooError(meaning: .failed, kind: "behind") }) }
        }
        state.subscriptions[number] = subscription
    }
}
