import Cofferdam
import CofferdamUpgrade

/// What every stream of a walk has told, kept by those who followed.
final class StreamLedger: Sendable {
    private struct State {
        var streams: [FollowedStream] = []
        /// Who waits for something to be told.
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Duration

    /// - Parameter now: the time since the rehearsal began.
    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// All that were begun, and how many items they have told.
    var counts: (streams: Int, items: Int) {
        state.withLock { ($0.streams.count, $0.streams.reduce(0) { $0 + $1.told.count { $0 != .gap } }) }
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

    func told(_ item: FollowedItem, by stream: Int) {
        change { state in
            // Who has gone hears nothing.
            if state.streams[stream].end == nil { state.streams[stream].told.append(item) }
        }
    }

    /// The first end counts.
    func ended(_ stream: Int, _ end: FollowedStream.End) {
        change { state in
            if state.streams[stream].end == nil { state.streams[stream].end = (end, now()) }
        }
    }

    func isFollowed(_ stream: Int) -> Bool { state.withLock { $0.streams[stream].end == nil } }

    /// Returns when all who still follow have been told that one, or when it is cancelled. For one at a time.
    func everybodyHears(_ key: String) async {
        let (changes, waiting) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        change { $0.waiting = waiting }
        for await _ in changes {
            let isHeard = state.withLock { state in
                state.streams.allSatisfy { $0.end != nil || $0.told.last == .item(key) || $0.told.contains(.item(key)) }
            }
            if isHeard { return }
        }
    }

    /// What their users lost, by what was published.
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
