/// Runs `operation` with a time limit.
///
/// - Throws: ``DeadlineExceeded`` when `limit` has passed first; the operation is cancelled then, and waited for, so it must
///   heed cancellation. Otherwise what the operation throws.
public func withDeadline<Value: Sendable, C: Clock>(
    _ limit: C.Duration,
    clock: C,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value where C.Duration: Sendable {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else { throw DeadlineExceeded() }
        return value
    }
}

/// The time allowed for an operation has passed.
public struct DeadlineExceeded: Error, Sendable, Hashable {
    /// Creates the error; it carries no details.
    package init() {}
}

/// Runs `operation` with a time limit, without waiting for it afterwards: an operation that ignores cancellation
/// continues on its own.
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
            // The first of the two to end decides the outcome; the other comes too late to count.
            Task(executorPreference: executor) { complete(await work.result) }
            Task(executorPreference: executor) {
                if case .success = await finish.result { complete(.failure(TimedOut())) }
            }
            return .none
        }
    }
}

/// The time allowed for an operation has passed; its caller no longer waits for it.
package struct TimedOut: Error {
    package init() {}
}
