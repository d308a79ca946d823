#if Sandbox
import Synchronization

/// State behind a lock, with waiting for a condition without polling.
final class Monitor<State: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isDue: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Guarded: Sendable {
        var state: State
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let guarded: Mutex<Guarded>

    private let afterChange: @Sendable (inout State) -> Void

    /// - Parameter afterChange: called after each change, before it becomes visible.
    init(_ state: State, afterChange: @escaping @Sendable (inout State) -> Void = { _ in }) {
        guarded = Mutex(Guarded(state: state))
        self.afterChange = afterChange
    }

    /// Changes the state, then resumes the waiters whose condition holds. A change made before an error persists.
    func update<Result: Sendable, Failure: Error>(
        _ change: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, due) = guarded.withLock { guarded -> (Swift.Result<Result, Failure>, [Waiter]) in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) {
                result = .success(try change(&guarded.state))
            } catch {
                result = .failure(error)
            }
            afterChange(&guarded.state)
            let due = guarded.waiters.filter { $0.value.isDue(guarded.state) }
            for id in due.keys { guarded.waiters[id] = nil }
            return (result, Array(due.values))
        }
        for waiter in due { waiter.continuation.resume(returning: true) }
        return try result.get()
    }

    /// Reads the state.
    func read<Result: Sendable, Failure: Error>(_ look: (State) throws(Failure) -> Result) throws(Failure) -> Result {
        try guarded.withLock { guarded throws(Failure) in try look(guarded.state) }
    }

    /// Returns as soon as `isDue` holds; throws `CancellationError` if the task is cancelled before.
    func wait(until isDue: @escaping @Sendable (State) -> Bool) async throws {
        let id = guarded.withLock { guarded in
            guarded.lastWaiter += 1
            return guarded.lastWaiter
        }
        let isReached = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = guarded.withLock { guarded in
                    if isDue(guarded.state) { return true }
                    if Task.isCancelled { return false }
                    guarded.waiters[id] = Waiter(isDue: isDue, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = guarded.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: false)
        }
        if !isReached { throw CancellationError() }
    }

    /// Like `wait(until:)`, but with a time limit; returns false if it expires.
    func wait(atMost limit: Duration, until isDue: @escaping @Sendable (State) -> Bool) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.wait(until: isDue)
                return true
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}
#endif
