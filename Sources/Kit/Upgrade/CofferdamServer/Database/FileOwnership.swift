#if Server
import Cofferdam
import CofferdamUpgrade
import Foundation

/// The ownership of a file by one process, until the process releases it or ends.
final class FileOwnership: Sendable {
    /// Where the file is.
    let path: String
    private let file: Mutex<Int32?>

    /// - Parameter name: the owned file, or a symbolic link to it; the lock file is beside the file itself.
    /// - Throws: ``UpgradeStoreError`` with `unavailable` if another process, or another part of this one, owns it,
    ///   or if it has another name.
    init(of name: String) throws(UpgradeStoreError) {
        path = try NamedFile(name).path
        let lock = path + ".lock"
        let file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = String(cString: strerror(errno))
            throw UpgradeStoreError(.unavailable, "cannot be opened: \(reason)", subject: lock)
        }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            throw UpgradeStoreError(.unavailable, "a server is using it", subject: path)
        }
        self.file = Mutex(file)
    }

    /// Releases the file. A second call has no effect.
    func release() {
        if let file = file.withLock({ $0.take() }) { close(file) }
    }

    deinit { release() }
}
#endif
