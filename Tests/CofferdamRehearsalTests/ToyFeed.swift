import Cofferdam
import CofferdamUpgrade

@testable import CofferdamRehearsal

/// Delivers written items to all subscribers, on either side.
final class ToyFeed: Sendable {
    /// Returns the deliveries of a side for a written item.
    typealias Telling = @Sendable (_ key: String, _ number: Int) -> [String]

    private struct State {
        var keys: [String] = []
        var count = 0
        var followers: [Int: Follower] = [:]
        var maxFollowers: [RehearsedInstance: Int] = [:]

        func followers(of side: RehearsedInstance) -> Int { followers.values.count { $0.side == side } }
    }

    private struct Follower {
        let side: RehearsedInstance
        let buffer = EventBuffer<String>()
        /// The items that are not delivered to it yet.
        var waiting: [String] = []

        mutating func hear(_ telling: [RehearsedInstance: Telling], _ key: String, _ number: Int) {
            waiting += telling[side]?(key, number) ?? [key]
        }

        mutating func take() -> [(EventBuffer<String>, String)] {
            defer { waiting = [] }
            return waiting.map { (buffer, $0) }
        }
    }

    private let state = Mutex(State())
    private let telling: [RehearsedInstance: Telling]
    private let late: RehearsedInstance?

    /// - Parameters:
    ///   - telling: the deliveries of sides that do not deliver each item once.
    ///   - late: a side that delivers three items at a time.
    init(telling: [RehearsedInstance: Telling] = [:], late: RehearsedInstance? = nil) {
        (self.telling, self.late) = (telling, late)
    }

    /// Applies `telling` to each twentieth item. The last items, for which all subscribers wait, are delivered
    /// unchanged.
    static func sometimes(_ telling: @escaping @Sendable (String) -> [String]) -> Telling {
        { key, number in number % 20 == 7 && !key.contains("last") ? telling(key) : [key] }
    }

    var keys: [String] { state.withLock { $0.keys } }

    func followers(of side: RehearsedInstance) -> Int { state.withLock { $0.followers(of: side) } }
    /// Returns the largest number of concurrent followers of a side.
    func maxFollowers(of side: RehearsedInstance) -> Int { state.withLock { $0.maxFollowers[side, default: 0] } }

    func publish(_ key: String) {
        let deliveries = state.withLock { state in
            let number = state.keys.count
            state.keys.append(key)
            let isTime = number % 3 == 2 || key.contains("last")
            return state.followers.keys.sorted().flatMap { follower in
                state.followers[follower]?.hear(telling, key, number)
                return isTime || state.followers[follower]?.side != late ? state.followers[follower]?.take() ?? [] : []
            }
        }
        for (buffer, key) in deliveries { buffer.send(key) { ToyError(meaning: .failed) } }
    }

    func follow(_ side: RehearsedInstance) -> any AsyncSequence<String, any Error> & Sendable {
        let follower = Follower(side: side)
        let buffer = follower.buffer
        let number = state.withLock { state in
            state.count += 1
            state.followers[state.count] = follower
            state.maxFollowers[side] = max(state.maxFollowers[side, default: 0], state.followers(of: side))
            return state.count
        }
        buffer.onTermination { [weak self] in self?.state.withLock { _ = $0.followers.removeValue(forKey: number) } }
        return buffer.events
    }
}

extension StreamHandover<String> {
    /// The handover of the toy's stream. It waits only for items: a side that has delivered one is subscribed.
    static let toys = StreamHandover.items(
        limits: StreamLimits(
            betweenMoves: .zero,
            acknowledgement: .seconds(1_000),
            roundTrip: .seconds(1_000),
            opening: .seconds(1_000)
        ),
        gap: { _ in .element("gap") },
        item: { StreamItem($0) }
    )
}
