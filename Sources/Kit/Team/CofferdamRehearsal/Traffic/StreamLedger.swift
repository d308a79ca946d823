import Cofferdam
import CofferdamUpgrade

/// A record of what every stream of a walk has delivered to its user.
final class StreamLedger: Sendable {
    private struct State {
        var streams: [FollowedStream] = []
        /// Resumes the task that waits for a delivery.
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Duration

    /// - Parameter now: the time since the rehearsal began.
    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// The number of streams so far, and of the items that they have delivered.
    var counts: (streams: Int, items: Int) {
        state.withLock { ($0.streams.count, $0.streams.reduce(0) { $0 + $1.received.count { $0 != .gap } }) }
    }

    /// Adds a stream.
    ///
    /// - Returns: the stream's number.
    func begin(_ unit: String) -> Int {
        state.withLock { state in
            state.streams.append(FollowedStream(unit: unit, began: now()))
            return state.streams.endIndex - 1
        }
    }

    func received(_ item: FollowedItem, by stream: Int) {
        change { state in
            // A user who has left receives nothing.
            if state.streams[stream].end == nil { state.streams[stream].received.append(item) }
        }
    }

    /// Records the end of a stream. Only the first end counts.
    func ended(_ stream: Int, _ end: FollowedStream.End) {
        change { state in
            if state.streams[stream].end == nil { state.streams[stream].end = (end, now()) }
        }
    }

    func isFollowed(_ stream: Int) -> Bool { state.withLock { $0.streams[stream].end == nil } }

    /// Returns when all streams that are still followed have delivered that item, or when the task is cancelled. Only
    /// one task at a time may wait.
    func waitUntilAllFollowersReceive(_ key: String) async {
        let (changes, waiting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        change { $0.waiting = waiting }
        for await _ in changes {
            let areDone = state.withLock { state in
                state.streams.allSatisfy { stream in
                    stream.end != nil || stream.received.last == .item(key) || stream.received.contains(.item(key))
                }
            }
            if areDone { return }
        }
    }

    /// What the users lost, given the published items.
    func losses(by record: FeedRecord) -> [(kind: Loss.Kind, what: String)] {
        state.withLock { $0.streams }.flatMap { stream in
            stream.losses(by: record).map { ($0.kind, "\(stream.unit), \($0.what)") }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            return state.waiting
        }
        waiting?.yield()
    }
}
