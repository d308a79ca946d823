import Cofferdam
import Foundation

/// Kills its own process a little after a number of counts, at a moment that the code cannot predict.
package final class Killer: Sendable {
    private let counted = Mutex(0)
    private let limit: Int
    private let spins: Int

    /// - Parameter folder: where the process's temporary files go, such as those of SQLite that it has no time to remove.
    package init(in folder: String, after limit: Int, spins: Int) {
        setenv("TMPDIR", folder, 1)
        self.limit = limit
        self.spins = spins
    }

    package func count() { counted.withLock { $0 += 1 } }

    package func start() {
        Thread {
            while self.counted.withLock({ $0 }) < self.limit { sched_yield() }
            for _ in 0..<self.spins where self.counted.withLock({ $0 }) < 0 { break }
            kill(getpid(), SIGKILL)
        }.start()
    }
}
