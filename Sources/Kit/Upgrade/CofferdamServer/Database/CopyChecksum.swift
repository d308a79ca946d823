#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import GRDB

/// The SHA-256 of a copy of a ``SQLiteUpgradeLog``'s file, in a table of the copy, so that the copy stays one file. It
/// is the digest of the whole file with zeros where the digest is.
enum CopyChecksum {
    private static let length = 32

    /// Adds a placeholder to a copy.
    ///
    /// - Returns: the placeholder.
    static func reserve(in copy: DatabaseQueue) throws -> Data {
        let placeholder = Data((0..<length).map { _ in UInt8.random(in: .min ... .max) })
        try copy.write { database in
            try remove(from: database)
            try database.execute(sql: "CREATE TABLE copyChecksum (sha256 BLOB NOT NULL)")
            try database.execute(sql: "INSERT INTO copyChecksum VALUES (?)", arguments: [placeholder])
        }
        return placeholder
    }

    /// Replaces the placeholder with the digest. The file must not be open.
    static func fill(_ placeholder: Data, in path: String) throws {
        let (digest, place) = try digest(of: path, replacing: placeholder)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: digest)
    }

    /// Removes the checksum from a database that is no copy any more.
    static func remove(from database: Database) throws {
        try database.execute(sql: "DROP TABLE IF EXISTS copyChecksum")
    }

    /// Checks that a file is as it was written.
    ///
    /// - Throws: ``UpgradeStoreError`` with `unreadable` for a file that was changed, or has no checksum.
    static func check(_ copy: DatabaseQueue, _ path: String) throws {
        let digest = try copy.read { database in
            try database.tableExists("copyChecksum")
                ? Data.fetchOne(database, sql: "SELECT sha256 FROM copyChecksum") : nil
        }
        guard let digest else {
            throw UpgradeStoreError(
                .unreadable,
                "the file has no checksum: it was copied otherwise, or by an earlier version (--without-checksum)",
                subject: path
            )
        }
        guard digest.count == length, try self.digest(of: path, replacing: digest).digest == digest else {
            throw UpgradeStoreError(
                .unreadable,
                "the file is damaged: its SHA-256 is not the one that was written with it",
                subject: path
            )
        }
    }

    /// The digest of the file with zeros in place of the first occurrence of `stored`.
    private static func digest(of path: String, replacing stored: Data) throws -> (digest: Data, place: Int) {
        var bytes = try Data(contentsOf: URL(filePath: path))
        guard let place = bytes.firstRange(of: stored) else {
            throw UpgradeStoreError(
                .unreadable,
                "the file is damaged: it does not have its checksum",
                subject: path
            )
        }
        bytes.resetBytes(in: place)
        return (Data(Digest.sha256(of: Array(bytes))), place.lowerBound)
    }
}
#endif
