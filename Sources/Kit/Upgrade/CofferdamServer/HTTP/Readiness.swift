#if Server
import Cofferdam
import CofferdamUpgrade
import HTTPTypes
import Logging

/// Whether the server can do its work. It writes to the disk at most once a second, however often it is asked, and
/// logs each change of the answer.
final class Readiness: Sendable {
    private struct Asked {
        var at: Duration
        var answer: Task<String?, Never>
    }

    private let store: SQLiteUpgradeStore
    private let upgrades: [HostedUpgrade]
    private let logger: Logger
    private let elapsed: @Sendable () -> Duration
    private let executor: (any TaskExecutor)?
    private let last = Mutex<Asked?>(nil)

    init(
        _ store: SQLiteUpgradeStore,
        _ upgrades: [HostedUpgrade],
        logger: Logger,
        elapsed: @escaping @Sendable () -> Duration,
        executor: (any TaskExecutor)?
    ) {
        (self.store, self.upgrades, self.logger) = (store, upgrades, logger)
        (self.elapsed, self.executor) = (elapsed, executor)
    }

    /// Returns why the server is not ready, for people; nil if it is.
    func problem() async -> String? {
        let now = elapsed()
        let answer = last.withLock { last in
            if let last, now - last.at < .seconds(1) { return last.answer }
            let answer = Task(executorPreference: executor) { [before = last?.answer] in
                let problem = await self.check()
                let known = await before?.value
                if let problem, problem != known {
                    self.logger.error("not ready: \(problem.plain())")
                } else if problem == nil, known != nil {
                    self.logger.notice("ready again")
                }
                return problem
            }
            last = Asked(at: now, answer: answer)
            return answer
        }
        return await answer.value
    }

    private func check() async -> String? {
        do {
            try await store.checkWritable()
            for upgrade in upgrades {
                guard let engine = upgrade.engine else {
                    _ = try await upgrade.store.read(upgrade.name)
                    continue
                }
                if engine.status.isSetBack { return "\(upgrade.name): the store is older than what devices know" }
            }
        } catch let error as UpgradeStoreError { return error.message } catch { return "\(error)" }
        return nil
    }
}
#endif
