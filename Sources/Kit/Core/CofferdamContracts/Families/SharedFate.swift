import Cofferdam

/// Makes concurrent calls share one fate, as a careless cache of calls does: if one is cancelled, all are.
final class SharedFate: Sendable {
    private let running = Mutex<[Int: Task<any Sendable, any Error>]>([:])
    private let count = Mutex(0)
    private let effect: MutantEffect

    init(_ effect: MutantEffect) { self.effect = effect }

    func perform(_ clean: @escaping @Sendable () async throws -> any Sendable) async throws -> any Sendable {
        let id = count.withLock { count in
            count += 1
            return count
        }
        // Registered under the lock, so that no cancellation misses the call.
        let task = running.withLock { running in
            let task = Task(executorPreference: nil) { try await clean() }
            running[id] = task
            return task
        }
        defer { running.withLock { $0[id] = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            let all = running.withLock { Array($0.values) }
            if all.count > 1 { effect.occurred() }
            for task in all { task.cancel() }
        }
    }
}
