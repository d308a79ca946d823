#if SQLite
    import Dispatch

    /// Does what blocks its thread one thing after the other, away from the threads that tasks share.
    struct DiskQueue: Sendable {
        private let queue: DispatchQueue

        init(label: String) { queue = DispatchQueue(label: label) }

        /// What has begun is done to its end, whoever has gone meanwhile: half a change is none.
        ///
        /// - Throws: `CancellationError` before it begins; what `body` throws.
        func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result(catching: body)) }
            }
        }
    }
#endif
