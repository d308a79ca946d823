import Cofferdam
import CofferdamTesting
import CofferdamUpgrade

/// The calls that callers wait for. A caller that waits longer than any call can take is stuck.
final class OpenCalls: Sendable {
    private struct Call {
        var name: String
        var side: Side
        var stage: Stage
        var began: Duration
    }

    /// By a clock that advances by a second whenever every task has had a turn. A call takes ten minutes at most; the
    /// rest is slack for a thread that the machine delays.
    static let deadline = Duration.seconds(500_000)

    private let clock: TestClock
    private let state = Mutex((calls: [Int: Call](), count: 0))

    init(clock: TestClock) { self.clock = clock }

    /// - Parameter operation: the operation's name, as the routes know it.
    func wait<Value>(
        for operation: String,
        _ input: some CustomStringConvertible,
        by session: UnitSession,
        at control: StageControl,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        let call = Call(
            name: "\(operation) \(input) by \(session.unit ?? "none")",
            side: session.side,
            stage: control.state.stage(for: operation),
            began: clock.now.offset
        )
        let number = state.withLock { state in
            state.count += 1
            state.calls[state.count] = call
            return state.count
        }
        defer { state.withLock { _ = $0.calls.removeValue(forKey: number) } }
        return try await body()
    }

    /// Calls that never end, the oldest first.
    var overdue: [String] {
        let now = clock.now.offset
        let calls = state.withLock { $0.calls.values.filter { now - $0.began > Self.deadline } }
        return calls.sorted { $0.began < $1.began }.map {
            "\($0.name) never ends: it began \(now - $0.began) ago on the \($0.side) side, at \($0.stage)"
        }
    }

    /// The number of open calls.
    var count: Int { state.withLock { $0.calls.count } }
}
