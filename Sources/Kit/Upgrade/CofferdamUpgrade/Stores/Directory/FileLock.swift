#if SQLite
import Foundation

/// A lock between processes and threads. The system releases it when a process ends.
struct FileLock: Sendable {
    let path: String
    /// The timeout.
    var patience: TimeInterval = 5

    /// - Throws: ``UpgradeStoreError`` with `unavailable` after the timeout; errors of `body`.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            throw UpgradeStoreError(.unavailable, "cannot be opened: \(reason)", subject: path)
        }
        // Closing releases the lock.
        defer { close(file) }
        try wait(for: file)
        return try body()
    }

    private func wait(for file: Int32) throws {
        let start = ContinuousClock.now
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else {
                let reason = String(cString: strerror(errno))
                throw UpgradeStoreError(.unavailable, "cannot be locked: \(reason)", subject: path)
            }
            guard start.duration(to: .now) < .seconds(patience) else {
                throw UpgradeStoreError(.unavailable, "another process holds the lock", subject: path)
            }
            // Only a thread of the store waits here, and the lock is held for a few milliseconds.
            usleep(1_000)
        }
    }
}
#endif
