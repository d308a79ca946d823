import Foundation
package import Testing

/// A file system of a few pages that can be filled or made read-only. It needs root on Linux.
package struct SmallDisk: Sendable {
    package let path: String

    /// The reason for skipping a test that needs one.
    package static let reason: Comment = "only root may mount a small file system, on Linux"
    package static let isAvailable: Bool = {
        guard let disk = try? SmallDisk() else { return false }
        disk.remove()
        return true
    }()

    package static func with(_ body: (SmallDisk) async throws -> Void) async throws {
        let disk = try SmallDisk()
        defer { disk.remove() }
        try await body(disk)
    }

    package var folder: UpgradeFolder { UpgradeFolder(path: path) }

    private init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #if os(Linux)
        guard mount("tmpfs", path, "tmpfs", 0, "size=512k") == 0 else {
            let error = errno
            try FileManager.default.removeItem(atPath: path)
            throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EPERM)
        }
        #else
        try FileManager.default.removeItem(atPath: path)
        throw POSIXError(.ENOTSUP)
        #endif
    }

    /// Fills the disk completely. Existing files can still be renamed and removed.
    package func fill() throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(file, page, page.count) > 0 {}
        try #require(errno == ENOSPC)
    }

    package func empty() throws { try #require(unlink(path + "/filler") == 0 || errno == ENOENT) }

    /// Makes the disk read-only, or writable again. No file may be open for writing.
    package func setReadOnly(_ isReadOnly: Bool) throws {
        #if os(Linux)
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        while mount(nil, path, nil, flags, nil) != 0 {
            // A database that was just released is still closing.
            try #require(errno == EBUSY)
            sched_yield()
        }
        #endif
    }

    private func remove() {
        #if os(Linux)
        // Detached lazily: open files disappear when they are closed.
        umount2(path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: path)
        #endif
    }
}
