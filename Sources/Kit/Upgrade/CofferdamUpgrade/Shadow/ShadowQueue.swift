import Cofferdam

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
        /// The jobs that wait for their turn, by number.
        var waiting: [Int: UnsafeContinuation<Void, Never>] = [:]
        var draining: [UnsafeContinuation<Void, Never>] = []

        /// Ends a job, and admits the next one.
        ///
        /// - Returns: those who need not wait any more.
        mutating func end() -> [UnsafeContinuation<Void, Never>] {
            ended += 1
            if admitted < placed {
                admitted += 1
                // A job that does not wait yet will not have to.
                return waiting.removeValue(forKey: admitted).map { [$0] } ?? []
            }
            guard ended == placed else { return [] }
            defer { draining = [] }
            return draining
        }
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
        await wait { state, continuation in
            guard state.ended < state.placed else { return false }
            state.draining.append(continuation)
            return true
        }
    }

    /// Takes a place for a job, whose task must then ``run(at:_:)`` it.
    ///
    /// - Returns: nil if there is none, and the job counts as dropped.
    func place() -> ComparisonPlace? {
        state.withLock { state in
            let waits = state.admitted - state.ended >= width
            if !waits {
                state.admitted += 1
            } else if state.placed - state.admitted >= capacity {
                state.dropped += 1
                return nil
            }
            state.placed += 1
            return ComparisonPlace(number: state.placed, waits: waits)
        }
    }

    /// Runs a job when it is its turn. One that was to wait never runs on the thread of its caller.
    nonisolated(nonsending) func run(at place: ComparisonPlace, _ job: () async -> Void) async {
        var hasWaited = false
        await wait { state, continuation in
            guard place.number > state.admitted else { return false }
            state.waiting[place.number] = continuation
            hasWaited = true
            return true
        }
        if place.waits, !hasWaited { await Task.yield() }
        await job()
        for waiter in state.withLock({ $0.end() }) { waiter.resume() }
    }

    /// - Parameter enqueue: keeps the continuation, to be resumed once; returns false if there is no need to wait.
    private nonisolated(nonsending) func wait(_ enqueue: (inout State, UnsafeContinuation<Void, Never>) -> Bool) async {
        await withUnsafeContinuation { continuation in
            if !state.withLock({ enqueue(&$0, continuation) }) { continuation.resume() }
        }
    }
}
