#if Server
    import Cofferdam
    import CofferdamUpgrade
    import Logging

    /// Writes refused requests to the audit log in small batches, so that a flood of them delays nothing else.
    final class RefusalLog: Sendable {
        private struct State {
            var waiting: [RefusedRequest] = []
            var writing: Task<Void, Never>?
            var dropped = 0
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
                guard state.writing == nil else { return }
                state.writing = Task(executorPreference: executor) { await self.write() }
            }
        }

        /// Counts a refused request that is not logged.
        func drop() { state.withLock { $0.dropped += 1 } }

        /// Returns once everything that was added is in the log.
        func settle() async {
            while let writing = state.withLock({ $0.writing }) { await writing.value }
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
                    if state.waiting.isEmpty { state.writing = nil }
                    return state.waiting
                }
                guard !next.isEmpty else { return }
                do {
                    try await log.add(next, keeping: Self.kept)
                } catch {
                    state.withLock { $0.dropped += next.count }
                    logger.error("\(next.count) refused requests are not in the audit log: \("\(error)".plain())")
                }
            }
        }
    }
#endif
