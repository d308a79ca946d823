#if Sandbox
import Cofferdam
import SanctuaryDomain

/// Runs one search for accessories at a time. Callers that ask during a search share its result; a caller that gives up
/// does not end it.
final class SharedSearch: Sendable {
    typealias Found = [SanctuaryDomain.Accessory]
    typealias Answer = @Sendable (Result<Found, any Error>) -> Void

    private struct State {
        var count = 0
        var task: Task<Void, Never>?
        var waiting: [Int: Answer] = [:]
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    init(executor: (any TaskExecutor)?) { self.executor = executor }

    /// The number of callers waiting for the current search.
    var waiters: Int { state.withLock { $0.waiting.count } }

    /// - Parameter search: started if no search is running.
    func result(of search: @escaping @Sendable () async throws -> Found) async throws -> Found {
        try await passingEscalation {
            self.raise(to: $0)
        } of: {
            try await vendorCall { (answer: @escaping Answer) in
                let key = state.withLock { state in
                    state.count += 1
                    state.waiting[state.count] = answer
                    if state.task == nil { state.task = begin(search) }
                    return state.count
                }
                raise(to: Task.currentPriority)
                return VendorCancellation { self.leave(key) }
            }
        }
    }

    private func begin(_ search: @escaping @Sendable () async throws -> Found) -> Task<Void, Never> {
        Task(executorPreference: executor) {
            do { self.finish(.success(try await search())) } catch { self.finish(.failure(error)) }
        }
    }

    private func raise(to priority: TaskPriority) { state.withLock { $0.task }?.raise(to: priority) }

    private func finish(_ result: Result<Found, any Error>) {
        let waiting = state.withLock { state in
            state.task = nil
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for answer in waiting { answer(result) }
    }

    private func leave(_ key: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: key) } }
}
#endif
