import Cofferdam

/// Time that passes only when a test says so.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct Sleeper: Sendable {
        let deadline: Instant
        let wake: Wake
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastID = 0
        var watchers: [(count: Int, wake: Wake)] = []
    }

    private let state = Mutex(State())
    let minimumResolution = Duration.nanoseconds(1)
    var now: Instant { state.withLock { $0.now } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            let id = add(Sleeper(deadline: deadline, wake: wake))
            return VendorCancellation { self.state.withLock { $0.sleepers[id] = nil } }
        }
    }

    func advance(by duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
        wakeWhoIsDue()
    }

    /// Returns once so many sleep.
    func waitForSleepers(_ count: Int = 1) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            state.withLock { $0.watchers.append((count, wake)) }
            wakeWhoIsDue()
            return .none
        }
    }

    private func add(_ sleeper: Sleeper) -> Int {
        let id = state.withLock { state in
            state.lastID += 1
            state.sleepers[state.lastID] = sleeper
            return state.lastID
        }
        wakeWhoIsDue()
        return id
    }

    private func wakeWhoIsDue() {
        let due = state.withLock { state -> [Wake] in
            let sleepers = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in sleepers.keys { state.sleepers[id] = nil }
            let watchers = state.watchers.filter { $0.count <= state.sleepers.count }
            state.watchers.removeAll { $0.count <= state.sleepers.count }
            return sleepers.values.map(\.wake) + watchers.map(\.wake)
        }
        for wake in due { wake(.success(())) }
    }
}
