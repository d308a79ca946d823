import Cofferdam
import DequeModule

/// Runs shadow work off the path of callers, with a bounded queue and a few jobs at a time.
///
/// Each job runs in its own task, with the task-locals and the priority of the caller that submitted it: a tenant,
/// credential or span in a task-local reaches the shadow side as it reaches the side that answers. These values live
/// until the job ends, which is later than the call. A secret that must not outlive the call, or must not reach the
/// other SDK, does not belong in a task-local.
public final class ShadowQueue: Sendable {
    /// Jobs are numbered from 1 in the order of their places, and begin in that order.
    private struct State {
        /// The numbers of the last job with a place, and of the last one that may run.
        var placed = 0, admitted = 0
        var ended = 0
        var dropped = 0
        /// Those of the jobs between these two that wait for their turn, in order; nil for one that does not wait yet.
        var waiting: Deque<UnsafeContinuation<Bool, Never>?> = []
        var draining: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let width: Int
    /// Runs the jobs.
    let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - capacity: the maximum number of waiting jobs; further jobs are dropped and counted.
    ///   - width: how many jobs run at a time.
    public init(capacity: Int = 64, width: Int = 2, executor: (any TaskExecutor)? = nil) {
        (self.capacity, self.width, self.executor) = (max(0, capacity), max(1, width), executor)
    }

    /// The number of jobs dropped so far.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// Returns when no job waits or runs.
    public func drained() async {
        // Proof: only `end` takes it from the state, and then resumes it once.
        await withUnsafeContinuation { continuation in
            let isDrained = state.withLock { state in
                let isDrained = state.ended == state.placed
                if !isDrained { state.draining.append(continuation) }
                return isDrained
            }
            if isDrained { continuation.resume() }
        }
    }

    /// Takes a place for a job, which then waits for its turn and must end.
    ///
    /// - Returns: nil if there is none, and the job counts as dropped.
    func place() -> ComparisonPlace? {
        state.withLock { state in
            let waits = state.admitted - state.ended >= width
            if !waits {
                state.admitted += 1
            } else if state.placed - state.admitted < capacity {
                state.waiting.append(nil)
            } else {
                state.dropped += 1
                return nil
            }
            state.placed += 1
            return ComparisonPlace(number: state.placed, waits: waits)
        }
    }

    /// Waits for a job's turn.
    ///
    /// - Parameter continuation: is resumed once when it is: with true at once, or later with false.
    func wait(at place: ComparisonPlace, _ continuation: UnsafeContinuation<Bool, Never>) {
        let isDue = state.withLock { state in
            let isDue = place.number <= state.admitted
            if !isDue { state.waiting[place.number - state.admitted - 1] = continuation }
            return isDue
        }
        if isDue { continuation.resume(returning: true) }
    }

    /// Ends a job that has had its turn, and admits the next one.
    func end() {
        let (next, drained) = state.withLock {
            state -> (UnsafeContinuation<Bool, Never>?, [UnsafeContinuation<Void, Never>]) in
            state.ended += 1
            if let next = state.waiting.popFirst() {
                state.admitted += 1
                return (next, [])
            }
            guard state.ended == state.placed else { return (nil, []) }
            defer { state.draining = [] }
            return (nil, state.draining)
        }
        next?.resume(returning: false)
        for waiter in drained { waiter.resume() }
    }
}
