#if SQLite
import Dispatch

/// Runs blocking work serially, away from the cooperative thread pool.
package struct DiskQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `body`. Once it has begun it runs to completion, even if the caller is cancelled.
    ///
    /// - Throws: `CancellationError` before it begins; errors of `body`.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
#endif
