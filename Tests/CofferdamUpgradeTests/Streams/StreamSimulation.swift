import Cofferdam
import CofferdamSupport
@testable import CofferdamUpgrade

/// One seeded schedule: two vendors with one backend, a subscriber, and handovers at random moments. Time is a number.
struct StreamSimulation {
    /// What the vendors may do.
    struct Manners: Sendable {
        /// How many of the last events the candidate replays for a new subscriber.
        var replay = 50
        var acknowledges = true
        /// In percent: the legacy side leaves out an event; the candidate sends one twice; a side's subscription fails.
        var skips = 5
        var repeats = 10
        var failures = 0
        /// How many milliseconds it takes at most until the next side is open and subscribed.
        var opening = 0
    }

    private enum Step {
        case event
        case opened(Side, subscription: Int)
        case subscribed(Side, subscription: Int)
        case arrival(SimulatedElement, Side, subscription: Int)
        case failure(Side, subscription: Int)
        case want(Side, canStay: Bool, atOnce: Bool)
        case timer(StreamTimer)
    }

    struct Failed: Error {}

    /// How a subscription went.
    struct Subscription {
        var side: Side
        var begins: Int?
        var lastArrival = 0
        /// What it sent until the next side took over.
        var received: [SimulatedEvent] = []
        var skipped: Set<Int> = []
        var isOpen = true
    }

    let manners: Manners
    private var random: SplitMix64
    private var merge: StreamMerge<SimulatedElement>
    private var queue: [(time: Int, step: Step)] = []
    private var now = 0
    private var current: [Side: Int] = [:]

    private(set) var events: [SimulatedEvent] = []
    private(set) var subscriptions: [Subscription] = []
    private(set) var delivered: [SimulatedElement] = []
    /// When a side took over: its subscription, and how much was delivered until then.
    private(set) var takeovers: [(subscription: Int, delivered: Int)] = []
    private(set) var opened: [Int] = []
    private(set) var hasFailed = false

    init(seed: UInt64, _ manners: Manners) {
        self.manners = manners
        random = SplitMix64(seed: seed)
        merge = StreamMerge(
            handover: .simulated(acknowledges: manners.acknowledges),
            beginningOn: Bool.random(using: &random) ? .legacy : .candidate
        )
        take([.open(merge.active)])
        var time = 0
        while time < 200_000 {
            // Bursts and silence.
            time += chance(70) ? Int.random(in: 1...400, using: &random) : Int.random(in: 1...20_000, using: &random)
            schedule(.event, at: time)
        }
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let want = Step.want(chance(50) ? .legacy : .candidate, canStay: chance(70), atOnce: chance(20))
            schedule(want, at: Int.random(in: 1...200_000, using: &random))
        }
    }

    mutating func run() {
        while let next = queue.popLast() {
            now = next.time
            let active = merge.active
            let count = delivered.count
            perform(next.step)
            if merge.active != active, let subscription = current[merge.active] {
                takeovers.append((subscription, count))
            }
            if merge.isOver { return }
        }
    }

    private mutating func perform(_ step: Step) {
        switch step {
        case .event: event()
        case .opened(let side, let subscription): opened(side, subscription)
        case .subscribed(let side, let subscription): subscribed(side, subscription)
        case .arrival(let element, let side, let subscription):
            guard subscriptions[subscription].isOpen else { return }
            if case .event(let event, _) = element, merge.active != side {
                subscriptions[subscription].received.append(event)
            }
            take(merge.received(element, from: side))
        case .failure(let side, let subscription):
            guard subscriptions[subscription].isOpen else { return }
            subscriptions[subscription].isOpen = false
            take(merge.ended(side, by: Failed()))
        case .want(let side, let canStay, let atOnce): take(merge.want(side, canStay: canStay, atOnce: atOnce))
        case .timer(let timer): take(merge.elapsed(timer, isOldSideIdle: chance(90)))
        }
    }

    // MARK: The vendors

    private mutating func event() {
        var event = SimulatedEvent(number: events.count)
        if chance(15), let deleted = events.filter({ $0.deletes == nil }).suffix(20).randomElement(using: &random),
            !events.contains(where: { $0.deletes == deleted.number })
        {
            event.deletes = deleted.number
        } else {
            event.isOwn = chance(20)
        }
        events.append(event)
        for (index, subscription) in subscriptions.enumerated() where subscription.isOpen && subscription.begins != nil
        {
            if subscription.side == .legacy, chance(manners.skips) {
                subscriptions[index].skipped.insert(event.number)
            } else {
                emit(event, to: index)
            }
        }
    }

    private mutating func opened(_ side: Side, _ subscription: Int) {
        guard subscriptions[subscription].isOpen else { return }
        let arrival = now + Int.random(in: 1...400, using: &random)
        schedule(.subscribed(side, subscription: subscription), at: arrival)
        take(merge.subscribed(side))
    }

    private mutating func subscribed(_ side: Side, _ index: Int) {
        subscriptions[index].begins = events.count
        arrive(.acknowledged, at: index)
        guard side == .candidate else { return }
        let replay = events.suffix(manners.replay)
        for event in replay { emit(event, to: index) }
        // A deleted event returns.
        for event in replay where replay.contains(where: { $0.deletes == event.number }) && chance(50) {
            emit(event, to: index)
        }
        arrive(.replayEnded, at: index)
    }

    private mutating func emit(_ event: SimulatedEvent, to index: Int) {
        let isEchoed = event.isOwn && subscriptions[index].side == .candidate
        if isEchoed { arrive(.event(event, isEcho: true), at: index) }
        arrive(.event(event, isEcho: false), at: index)
        if subscriptions[index].side == .candidate, chance(manners.repeats) {
            arrive(.event(event, isEcho: false), at: index)
        }
    }

    /// In order, after at most three quarters of a round trip.
    private mutating func arrive(_ element: SimulatedElement, at index: Int) {
        let time = max(subscriptions[index].lastArrival, now + Int.random(in: 1...1500, using: &random))
        subscriptions[index].lastArrival = time
        schedule(.arrival(element, subscriptions[index].side, subscription: index), at: time)
    }

    // MARK: The router

    private mutating func take(_ commands: [StreamCommand<SimulatedElement>]) {
        for command in commands {
            switch command {
            case .emit(let element): delivered.append(element)
            case .finish(let error): hasFailed = error != nil
            case .open(let side):
                opened.append(now)
                current[side] = subscriptions.count
                subscriptions.append(Subscription(side: side))
                let isSlow = manners.opening > 0 && subscriptions.count > 1
                let delay = isSlow ? Int.random(in: 1...manners.opening, using: &random) : 0
                schedule(.opened(side, subscription: subscriptions.count - 1), at: now + delay)
                if chance(manners.failures) {
                    let end = now + Int.random(in: 1...20_000, using: &random)
                    schedule(.failure(side, subscription: subscriptions.count - 1), at: end)
                }
            case .close(let side): if let index = current[side] { subscriptions[index].isOpen = false }
            case .wait(let duration, let timer):
                schedule(.timer(timer), at: now + Int(duration.components.seconds) * 1000)
            case .list: break
            }
        }
    }

    private mutating func schedule(_ step: Step, at time: Int) {
        // The last entry is the next one; of entries at the same time, the first that was scheduled.
        var (low, high) = (queue.startIndex, queue.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if queue[middle].time >= time + 1 { low = middle + 1 } else { high = middle }
        }
        queue.insert((time, step), at: low)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}
