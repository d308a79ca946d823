#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Lets one process, and one thread, at a time change which files are in a directory. The lock of a process that ends
/// is released automatically.
package struct DirectoryLock: Sendable {
    /// Another process holds the directory's lock for too long.
    package struct Busy: Error {}

    /// The longest wait for the lock.
    private static let timeout = Duration.seconds(5)

    private let path: String

    /// - Parameter path: the directory; empty for the present one, as of a file without a directory in its name.
    package init(path: String) { self.path = path.isEmpty ? "." : path }

    /// Runs `body` with the lock. It blocks the thread while it waits.
    ///
    /// - Throws: ``Busy`` if the lock cannot be had in time; what `body` throws.
    package func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let directory = open(path, O_RDONLY | O_CLOEXEC)
        // If the directory is missing or cannot be opened, `body` fails too, with a better error.
        guard directory >= 0 else { return try body() }
        // Closing releases the lock.
        defer { close(directory) }
        try wait(for: directory)
        return try body()
    }

    private func wait(for directory: Int32) throws {
        let start = ContinuousClock.now
        while flock(directory, LOCK_EX | LOCK_NB) != 0 {
            // A file system without such locks is not meant for several processes: go on without the lock.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard start.duration(to: .now) < Self.timeout else { throw Busy() }
            // The holder of the lock only opens or removes one file.
            usleep(1_000)
        }
    }
}
