#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits until what was written to a file or folder is on the disk, so that it survives a power failure.
///
/// - Returns: whether it is; if not, `errno` says why.
package func syncToDisk(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // fsync(2) there leaves the data in the drive's cache. Some network file systems know only that.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}
