import Cofferdam
import CofferdamUpgrade

extension FaultInjector {
    /// Subscribes, or refuses to. While calls are dropped or refused, new streams are refused; an instance that is down
    /// or crashes also ends its open streams.
    ///
    /// ```swift
    /// func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { faults.stream { clean.events() } }
    /// ```
    func stream<Element: Sendable>(
        _ body: () -> any AsyncSequence<Element, any Error> & Sendable
    ) -> any AsyncSequence<Element, any Error> & Sendable {
        let buffer = EventBuffer<Element>()
        let opening = streams.open(isRefused: refusesStreams) { [failure] in
            buffer.finish(throwing: failure(.outcomeUnknown))
        }
        guard let opening else {
            buffer.finish(throwing: failure(.unsent))
            return buffer.events
        }
        let events = body()
        let task = Task(executorPreference: nil) {
            do {
                for try await event in events {
                    buffer.send(event) { TrafficProblem("the stream's follower is too far behind") }
                }
                buffer.finish()
            } catch {
                buffer.finish(throwing: error)
            }
        }
        buffer.onTermination { [streams] in
            streams.close(opening)
            task.cancel()
        }
        return buffer.events
    }
}

/// The streams of one instance.
final class InjectedStreams: Sendable {
    private struct State {
        var opened = 0
        var open: [Int: @Sendable () -> Void] = [:]
        var isDown = false
    }

    private let state = Mutex(State())

    /// The number of subscriptions to this instance so far.
    var opened: Int { state.withLock { $0.opened } }
    /// The number of open streams.
    var open: Int { state.withLock { $0.open.count } }

    /// - Parameter end: ends the stream when the instance goes down.
    /// - Returns: the stream's number; nil if it is refused.
    func open(isRefused: Bool, end: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            if isRefused || state.isDown { return nil }
            state.opened += 1
            state.open[state.opened] = end
            return state.opened
        }
    }

    func close(_ stream: Int) { state.withLock { _ = $0.open.removeValue(forKey: stream) } }

    /// Ends all streams, and refuses new ones from now on.
    func goDown() {
        let ends = state.withLock { state in
            state.isDown = true
            defer { state.open = [:] }
            return state.open.values
        }
        for end in ends { end() }
    }
}
