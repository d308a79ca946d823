import Cofferdam

/// A clock that stands still until it is told to advance, and tells who sleeps.
final class HandClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private typealias Watcher = CheckedContinuation<Void, Never>

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var count = 0
        var watchers: [(isAwaited: @Sendable ([Duration]) -> Bool, continuation: Watcher)] = []

        /// Those whose sleepers are there, no longer kept.
        mutating func satisfied() -> [Watcher] {
            let deadlines = sleepers.values.map(\.until.offset)
            let satisfied = watchers.filter { $0.isAwaited(deadlines) }
            watchers.removeAll { $0.isAwaited(deadlines) }
            return satisfied.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }
    /// Until when they sleep, counted from the beginning.
    var deadlines: [Duration] { state.withLock { $0.sleepers.values.map(\.until.offset) } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (outcome, satisfied) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if state.now >= deadline { return (.success(()), []) }
                    state.sleepers[id] = (deadline, continuation)
                    return (nil, state.satisfied())
                }
                if let outcome { continuation.resume(with: outcome) }
                for watcher in satisfied { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns once so many sleep.
    func waitForSleepers(_ count: Int = 1) async { await wait { $0.count >= count } }

    /// Returns once a task sleeps until that time, counted from the start.
    func waitForSleeper(until offset: Duration) async { await wait { $0.contains(offset) } }

    private func wait(until isAwaited: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let satisfied = state.withLock { state in
                state.watchers.append((isAwaited, continuation))
                return state.satisfied()
            }
            for watcher in satisfied { watcher.resume() }
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }
}
