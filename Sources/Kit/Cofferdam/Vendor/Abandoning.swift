/// Races `operation` against the clock without ever waiting for the loser: what ignores its cancellation goes on alone.
///
/// - Throws: ``TimedOut`` when `limit` has passed first; `CancellationError` when the caller is cancelled; otherwise what
///   the operation throws.
package func abandoning<Value: Sendable>(
    after limit: Duration,
    on clock: any Clock<Duration>,
    executor: (any TaskExecutor)?,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let work = Task(executorPreference: executor) { try await operation() }
    let finish = Task(executorPreference: executor) { try await clock.sleep(for: limit) }
    defer {
        work.cancel()
        finish.cancel()
    }
    return try await passingEscalation {
        work.raise(to: $0)
    } of: {
        try await vendorCall { complete in
            // The first of the two that ends is the outcome; the other one's comes too late to count.
            Task(executorPreference: executor) { complete(await work.result) }
            Task(executorPreference: executor) {
                if case .success = await finish.result { complete(.failure(TimedOut())) }
            }
            return .none
        }
    }
}

/// The time allowed for an operation has passed, and nobody waits for it any more.
package struct TimedOut: Error {
    package init() {}
}
