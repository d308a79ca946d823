#if Sandbox
import Cofferdam
import Testing

@testable import MenagerieV2Adapter

@Suite struct SharedSearchTests {
    @Test(arguments: [false, true])
    func `an urgent caller raises the search that another has begun`(isTheSame: Bool) async throws {
        let search = SharedSearch(executor: nil)
        let ended = Mutex<[TaskPriority]>([])
        let searching: @Sendable () async throws -> Void = {
            _ = try await search.result {
                // It ends when its priority is raised, or after a bounded number of turns.
                for _ in 0..<1_000_000 where Task.currentPriority < .high { await Task.yield() }
                ended.withLock { $0.append(Task.currentPriority) }
                return []
            }
        }
        let first = Task(priority: .background) { try await searching() }
        while search.waiters == 0 { await Task.yield() }
        if isTheSame {
            first.raise(to: .high)
        } else {
            try await Task(priority: .high) { try await searching() }.value
        }
        try await first.value
        #expect(ended.withLock { $0 } == [.high])
    }
}
#endif
