import Cofferdam
import CofferdamSupport
package import Foundation  // files hold its data

/// A file that is written atomically, and is on disk when writing returns.
package struct DurableFile: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The present directory for a name without one.
    private var directory: String {
        let directory = (path as NSString).deletingLastPathComponent
        return directory.isEmpty ? "." : directory
    }

    /// The content; nil if the file does not exist.
    ///
    /// - Throws: ``UpgradeStoreError`` with `unavailable`.
    package func read() throws -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure(.unavailable, "cannot be opened") }
            return nil
        }
        defer { close(file) }
        var data = Data()
        var part = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Foundation.read(file, &part, part.count)
            if count == 0 { return data }
            if count > 0 {
                data.append(contentsOf: part[..<count])
            } else if errno != EINTR {
                throw failure(.unavailable, "cannot be read")
            }
        }
    }

    /// Replaces the content. There may be only one writer at a time.
    ///
    /// - Parameter keepsAttributes: whether a file that exists keeps its owner and its mode. A new one can be read by its
    ///   owner only.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if the file is unchanged, `outcomeUnknown` if the change
    ///   may be lost again.
    package func write(_ data: Data, keepsAttributes: Bool = false) throws {
        let new = path + ".new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(.unavailable, "cannot be written") }
        do {
            try write(data, to: file)
            if keepsAttributes { try NamedFile(path).passAttributes(to: new) }
        } catch {
            close(file)
            // Free the space on a full disk.
            unlink(new)
            throw error
        }
        guard close(file) == 0, rename(new, path) == 0 else { throw failure(.unavailable, "cannot be replaced") }
        try settle()
    }

    /// - Throws: as ``write(_:)``.
    func remove() throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure(.unavailable, "cannot be removed") }
        try settle()
    }

    private func write(_ data: Data, to file: Int32) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure(.unavailable, "cannot be written")
            }
        }
        guard syncToDisk(file) else { throw failure(.unavailable, "cannot be synced to the disk") }
    }

    /// Syncs the directory, which holds the name of the file.
    private func settle() throws {
        let directory = open(directory, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw failure(.outcomeUnknown, "its directory cannot be opened") }
        defer { close(directory) }
        guard syncToDisk(directory) else {
            throw failure(.outcomeUnknown, "its directory cannot be synced to the disk")
        }
    }

    private func failure(_ code: UpgradeStoreError.Code, _ what: String) -> UpgradeStoreError {
        let reason = String(cString: strerror(errno))
        return UpgradeStoreError(code, "\(what): \(reason)", subject: path)
    }
}
