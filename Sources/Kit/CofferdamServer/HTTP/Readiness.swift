#if Server
    import Cofferdam
    import CofferdamUpgrade
    import HTTPTypes

    /// Whether the server can do its work. It writes to the disk at most once a second, however often it is asked.
    final class Readiness: Sendable {
        private struct Asked {
            var at: Duration
            var answer: Task<String?, Never>
        }

        private let store: SQLiteUpgradeStore
        private let elapsed: @Sendable () -> Duration
        private let executor: (any TaskExecutor)?
        private let last = Mutex<Asked?>(nil)

        init(
            _ store: SQLiteUpgradeStore,
            elapsed: @escaping @Sendable () -> Duration,
            executor: (any TaskExecutor)?
        ) {
            (self.store, self.elapsed, self.executor) = (store, elapsed, executor)
        }

        /// Returns why the database cannot be written, for people; nil if it can.
        func problem() async -> String? {
            let now = elapsed()
            let answer = last.withLock { last in
                if let last, now - last.at < .seconds(1) { return last.answer }
                let answer = Task(executorPreference: executor) { [store] () -> String? in
                    do { try await store.checkWritable() } catch let error as UpgradeStoreError {
                        return error.message
                    } catch { return "\(error)" }
                    return nil
                }
                last = Asked(at: now, answer: answer)
                return answer
            }
            return await answer.value
        }
    }
#endif
