import Cofferdam
import CofferdamSupport
import Foundation

/// A file by a name that a person gave. If the name is a symbolic link, the file is the one that it leads to.
package struct NamedFile: Sendable {
    /// Where the file is, or will be.
    package let path: String

    /// - Throws: ``UpgradeStoreError`` with `unavailable` for a file with several names (hard links): a lock or a log of
    ///   SQLite beside one of them is not found by the other, and replacing one leaves the other as it was.
    package init(_ name: String) throws(UpgradeStoreError) {
        path = SymbolicLink.target(of: name)
        guard FileIdentity(path: path)?.names ?? 1 == 1 else {
            throw UpgradeStoreError(
                .unavailable,
                "the file has another name too, a hard link: remove one of the two",
                subject: path
            )
        }
    }

    /// Gives a file that will replace this one its owner and its mode. Without this file, the other stays as it is.
    ///
    /// - Throws: ``UpgradeStoreError`` with `unavailable`.
    package func passAttributes(to new: String) throws(UpgradeStoreError) {
        var (old, status) = (stat(), stat())
        guard stat(path, &old) == 0, stat(new, &status) == 0 else { return }
        // In this order: until it has its owner, it is readable only by the present one.
        if (old.st_uid, old.st_gid) != (status.st_uid, status.st_gid), chown(new, old.st_uid, old.st_gid) != 0 {
            throw failure("the new file cannot be given its owner")
        }
        guard chmod(new, old.st_mode & 0o777) == 0 else { throw failure("the new file cannot be given its mode") }
    }

    private func failure(_ what: String) -> UpgradeStoreError {
        UpgradeStoreError(.unavailable, "\(what): \(String(cString: strerror(errno)))", subject: path)
    }
}
