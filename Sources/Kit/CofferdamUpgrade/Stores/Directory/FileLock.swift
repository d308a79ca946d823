#if SQLite
    import Foundation

    /// Lets one process after the other, and one thread after the other, do what must not be done by two at once. A process
    /// that ends lets go by itself.
    struct FileLock: Sendable {
        let path: String
        /// How long one waits at most.
        var patience: TimeInterval = 5

        /// - Throws: ``UpgradeStoreError`` with `unavailable` if it cannot be had in time; what `body` throws.
        func withLock<Value>(_ body: () throws -> Value) throws -> Value {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else {
                let reason = String(cString: strerror(errno))
                throw UpgradeStoreError(.unavailable, "cannot be opened: \(reason)", subject: path)
            }
            // Closing lets go.
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
                    throw UpgradeStoreError(.unavailable, "another process does not let go of it", subject: path)
                }
                // A thread of the store's own waits here; whoever holds the lock has a few milliseconds' work.
                usleep(1_000)
            }
        }
    }
#endif
