#if Staged
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation

/// What this installation has counted for a server, in one file for each concurrent process. What a process could
/// not post is posted by a later one.
final class ReportFiles: Sendable {
    /// This process's counts; nil if no file is available, and then nothing is counted.
    let own: ServerEvidence?
    private let number: Int?
    private let lock: Lock?
    private let directory: String
    private let open: @Sendable (_ file: String) throws -> ServerEvidence

    /// The maximum number of concurrent processes.
    private static let most = 8

    /// - Parameter open: opens the counts in a file. A file that cannot be read stays as it is, and the next one is
    ///   used.
    init(in directory: String, open: @escaping @Sendable (_ file: String) throws -> ServerEvidence) {
        (self.directory, self.open) = (directory, open)
        for number in 0..<Self.most {
            guard let lock = Lock(Self.path(number, in: directory) + ".lock"),
                let evidence = try? open(Self.path(number, in: directory))
            else { continue }
            (own, self.number, self.lock) = (evidence, number, lock)
            return
        }
        (own, number, lock) = (nil, nil, nil)
    }

    /// Posts what this process has counted, and then what earlier ones have left.
    ///
    /// - Throws: the first error, after it has tried every file; `CancellationError` at once.
    func deliver() async throws {
        var failure: (any Error)?
        do { try await own?.deliver() } catch { failure = error }
        for number in 0..<Self.most where number != self.number {
            try Task.checkCancellation()
            let path = Self.path(number, in: directory)
            guard FileManager.default.fileExists(atPath: path), let lock = Lock(path + ".lock") else { continue }
            do { try await open(path).deliver() } catch { failure = failure ?? error }
            withExtendedLifetime(lock) {}
        }
        if let failure { throw failure }
    }

    private static func path(_ number: Int, in directory: String) -> String {
        "\(directory)/sanctuary.reports.\(number)"
    }

    /// A lock that ends with the process.
    private final class Lock: Sendable {
        private let file: Int32

        /// Nil if another process holds it, or it cannot be taken.
        init?(_ path: String) {
            let file = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return nil }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                return nil
            }
            self.file = file
        }

        deinit { close(file) }
    }
}
#endif
