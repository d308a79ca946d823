#if Server
import Cofferdam
import CofferdamUpgrade
import Logging

/// Writes refused requests to the audit log in small batches, so that a flood of them delays nothing else.
final class RefusalLog: Sendable {
    private struct State {
        var waiting: [RefusedRequest] = []
        var isWriting = false
        var dropped = 0
        /// The numbers of those that were added, and of those that were written or could not be.
        var (added, handled) = (0, 0)
        /// Resumed once that many are handled.
        var settling: [(mark: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// The number of those that could not be written since the last one that was.
        var failed = 0
    }

    /// The maximum number kept in the log.
    static let kept = 10_000
    /// The maximum number that may wait to be written.
    private static let maxWaiting = 1_000

    private let log: SQLiteUpgradeLog
    private let logger: Logger
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    init(_ log: SQLiteUpgradeLog, logger: Logger, executor: (any TaskExecutor)?) {
        (self.log, self.logger, self.executor) = (log, logger, executor)
    }

    /// Adds a refused request. It reaches the log soon; see ``settle()``.
    func add(_ refused: RefusedRequest) {
        state.withLock { state in
            guard state.waiting.count < Self.maxWaiting else {
                state.dropped += 1
                return
            }
            state.waiting.append(refused)
            state.added += 1
            guard !state.isWriting else { return }
            state.isWriting = true
            Task(executorPreference: executor) { await self.write() }
        }
    }

    /// Counts a refused request that is not logged.
    func drop() { state.withLock { $0.dropped += 1 } }

    /// Returns once everything that was added before is in the log, however much is added meanwhile.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                guard state.handled < state.added else { return true }
                state.settling.append((state.added, continuation))
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// The last ones, newest first.
    func last(_ count: Int) async throws -> [RefusedRequest] {
        await settle()
        return try await log.refusals(last: count)
    }

    /// The number of refused requests that were not logged.
    var dropped: Int { state.withLock { $0.dropped } }

    private func write() async {
        while true {
            let next = state.withLock { state -> [RefusedRequest] in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isWriting = false }
                return state.waiting
            }
            guard !next.isEmpty else { return }
            do {
                try await log.add(next, keeping: Self.kept)
                let failed = state.withLock { state in
                    defer { state.failed = 0 }
                    return state.failed
                }
                if failed > 0 { logger.notice("refused requests are logged again; \(failed) are missing") }
            } catch {
                let isFirst = state.withLock { state in
                    defer {
                        (state.dropped, state.failed) = (state.dropped + next.count, state.failed + next.count)
                    }
                    return state.failed == 0
                }
                if isFirst { logger.error("refused requests are not in the audit log: \("\(error)".plain())") }
            }
            let settled = state.withLock { state in
                state.handled += next.count
                let handled = state.handled
                defer { state.settling.removeAll { $0.mark <= handled } }
                return state.settling.filter { $0.mark <= handled }
            }
            for wait in settled { wait.continuation.resume() }
        }
    }
}
#endif
