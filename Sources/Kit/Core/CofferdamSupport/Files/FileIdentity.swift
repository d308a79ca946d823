#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The identity of a file, which distinguishes it from another that replaces it at the same path.
package struct FileIdentity: Sendable {
    private let device: UInt64
    private let number: UInt64
    package let isEmpty: Bool
    /// The number of its names, which are hard links.
    package let names: Int

    /// Nil if there is no file, or if its status cannot be read.
    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
        isEmpty = status.st_size == 0
        names = Int(status.st_nlink)
    }
}

extension FileIdentity: Hashable {
    /// Whether both are the same file, whatever it contains by now.
    package static func == (one: FileIdentity, other: FileIdentity) -> Bool {
        one.device == other.device && one.number == other.number
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(number)
    }
}
