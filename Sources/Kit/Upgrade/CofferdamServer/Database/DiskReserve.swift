#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// A file that is removed to make room when the disk is full.
struct DiskReserve: Sendable {
    let path: String

    private static let size = 1 << 20

    /// Makes the file, unless it is there.
    ///
    /// - Throws: ``UpgradeStoreError``.
    func keep() throws {
        let found = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard found != Self.size else { return }
        // Not zeros, which some file systems keep without using room.
        var random = SystemRandomNumberGenerator()
        let words = (0..<Self.size / 8).map { _ in random.next() as UInt64 }
        let bytes = words.withUnsafeBytes { Data($0) }
        do { try bytes.write(to: URL(filePath: path)) } catch {
            _ = spend()
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            throw UpgradeStoreError(
                .unavailable,
                isFull ? SQLiteUpgradeLog.diskIsFull : "the reserve for a full disk cannot be written",
                subject: path,
                cause: error
            )
        }
    }

    /// Removes the file.
    ///
    /// - Returns: whether it was there.
    func spend() -> Bool { unlink(path) == 0 }
}

extension UpgradeStoreError {
    /// Whether there was no room to write.
    var isDiskFull: Bool { (cause as? DatabaseError)?.resultCode == .SQLITE_FULL }
}
#endif
