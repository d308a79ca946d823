#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Lets one process after the other, and one thread after the other, change which files are in a directory. A process that
/// ends lets go by itself.
package struct DirectoryLock: Sendable {
    /// Another process does not let go of the directory.
    package struct Busy: Error {}

    /// How long one waits at most.
    private static let patience = Duration.seconds(5)

    private let path: String

    package init(path: String) { self.path = path }

    /// Blocks its thread.
    ///
    /// - Throws: ``Busy`` if the lock cannot be had in time; what `body` throws.
    package func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let directory = open(path, O_RDONLY | O_CLOEXEC)
        // One that is missing, or cannot be opened, `body` fails of by itself, and says so better.
        guard directory >= 0 else { return try body() }
        // Closing lets go.
        defer { close(directory) }
        try wait(for: directory)
        return try body()
    }

    private func wait(for directory: Int32) throws {
        let start = ContinuousClock.now
        while flock(directory, LOCK_EX | LOCK_NB) != 0 {
            // A file system that knows no such lock is no place for several processes.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard start.duration(to: .now) < Self.patience else { throw Busy() }
            // The holder of the lock opens or removes one file.
            usleep(1_000)
        }
    }
}
