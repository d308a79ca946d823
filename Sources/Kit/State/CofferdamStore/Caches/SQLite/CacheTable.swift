#if SQLite
import Foundation
import GRDB

/// An entry as it is stored.
struct CacheRow {
    let key: Data
    /// Nil to remove it.
    let bytes: Data?

    init(_ key: String, _ bytes: [UInt8]?) {
        self.key = CacheTable.key(key)
        self.bytes = bytes.map { Data($0) }
    }

    var size: Int { key.count + (bytes?.count ?? 0) }
}

/// The statements on the table of entries. By their row ids, rows are in the order in which they were last written.
struct CacheTable {
    private static let size = "length(key) + length(bytes)"
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Equal strings have the same bytes in this form, which may contain zeros.
    static func key(_ key: String) -> Data {
        Data((key.utf8.allSatisfy { $0 < 0x80 } ? key : key.precomposedStringWithCanonicalMapping).utf8)
    }

    func bytes(_ key: Data, written: ClosedRange<Int64>) throws -> Data? {
        let sql = "SELECT bytes FROM entry WHERE key = ? AND written BETWEEN ? AND ?"
        return try Data.fetchOne(
            database.cachedStatement(sql: sql),
            arguments: [key, written.lowerBound, written.upperBound]
        )
    }

    /// Writes rows, which must have bytes.
    func put(_ rows: [CacheRow], written: Int64) throws {
        // The overhead of a statement is paid once for several rows.
        let width = 16
        let end = rows.count - rows.count % width
        for start in stride(from: 0, to: end, by: width) { try put(rows[start..<(start + width)], written) }
        for start in end..<rows.count { try put(rows[start...start], written) }
    }

    private func put(_ rows: ArraySlice<CacheRow>, _ written: Int64) throws {
        // Replacing gives a new row id, the greatest.
        let sql = "INSERT OR REPLACE INTO entry (key, bytes, written) VALUES (?, ?, ?)"
        let statement = try database.cachedStatement(
            sql: sql + String(repeating: ", (?, ?, ?)", count: rows.count - 1)
        )
        var arguments: [(any DatabaseValueConvertible)?] = []
        arguments.reserveCapacity(3 * rows.count)
        for row in rows { arguments += [row.key, row.bytes, written] }
        try statement.execute(arguments: StatementArguments(arguments))
    }

    /// - Returns: the number of bytes removed.
    @discardableResult
    func remove(_ key: Data) throws -> Int {
        let sql = "DELETE FROM entry WHERE key = ? RETURNING \(Self.size)"
        return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [key]) ?? 0
    }

    func totalBytes() throws -> Int {
        try Int.fetchOne(database.cachedStatement(sql: "SELECT coalesce(sum(\(Self.size)), 0) FROM entry")) ?? 0
    }

    /// A number that changes when another connection has written.
    func foreignVersion() throws -> Int? {
        try Int.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
    }

    /// Removes the rows before the first that was written in that time.
    ///
    /// - Returns: the number of bytes removed.
    func removeExpired(written: ClosedRange<Int64>) throws -> Int {
        let sql = """
            DELETE FROM entry WHERE rowid < coalesce(
                (SELECT rowid FROM entry WHERE written BETWEEN ? AND ? ORDER BY rowid LIMIT 1), \(Int64.max)
            ) RETURNING \(Self.size)
            """
        let sizes = try Int.fetchCursor(
            database.cachedStatement(sql: sql),
            arguments: [written.lowerBound, written.upperBound]
        )
        return try sizes.reduce(0, +)
    }

    /// Removes the oldest rows until at least that many bytes have been removed.
    ///
    /// - Returns: the number of bytes removed.
    func removeOldest(bytes: Int) throws -> Int {
        var removed = 0
        var last: Int64?
        let rows = try Row.fetchCursor(
            database.cachedStatement(sql: "SELECT rowid, \(Self.size) FROM entry ORDER BY rowid")
        )
        while removed < bytes, let row = try rows.next() {
            last = row[0]
            removed += Int.fromDatabaseValue(row[1]) ?? 0
        }
        guard let last else { return 0 }
        try database.cachedStatement(sql: "DELETE FROM entry WHERE rowid <= ?").execute(arguments: [last])
        return removed
    }

    func removeAll() throws { try database.execute(sql: "DELETE FROM entry") }

    /// Changes every row, in the order of the row ids.
    ///
    /// - Parameter change: returns the new bytes, or nil to remove the row.
    func migrate(_ change: (_ bytes: [UInt8], _ key: String) throws -> [UInt8]?) throws {
        var last = Int64.min
        while let row = try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT rowid, key, bytes FROM entry WHERE rowid > ? ORDER BY rowid LIMIT 1"
            ),
            arguments: [last]
        ) {
            last = row[0]
            guard let key = Data.fromDatabaseValue(row[1]), let old = Data.fromDatabaseValue(row[2]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row has no bytes")
            }
            if let new = try change([UInt8](old), String(decoding: key, as: UTF8.self)) {
                let sql = "UPDATE entry SET bytes = ? WHERE rowid = ?"
                try database.cachedStatement(sql: sql).execute(arguments: [Data(new), last])
            } else {
                try database.cachedStatement(sql: "DELETE FROM entry WHERE rowid = ?").execute(arguments: [last])
            }
        }
    }
}
#endif
