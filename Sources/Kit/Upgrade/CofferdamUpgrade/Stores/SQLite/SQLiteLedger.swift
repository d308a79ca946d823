#if SQLite
import Cofferdam
import Foundation
import GRDB

/// The rows and the counts of one capability, in one transaction: of each unit a row for its settled operations, and
/// one for each open window.
struct SQLiteLedger {
    private let capability: Data
    private let database: Database
    private let decode: (Data) throws -> EvidenceCounts

    /// - Parameter decode: decodes the bytes of a row.
    init(_ capability: String, _ database: Database, decode: @escaping (Data) throws -> EvidenceCounts) {
        self.capability = SQLiteUpgradeLog.key(capability)
        self.database = database
        self.decode = decode
    }

    /// An epoch under one key, and its row.
    private struct Stored {
        var id: Int64
        var counts: EvidenceCounts
    }

    // MARK: Merging

    func merge(_ rows: EvidenceRows) throws -> EvidenceCounts {
        let stored = try all()
        for epoch in stored where epoch.counts.isReplaced(by: rows) { try remove(epoch.id) }
        let left = stored.filter { !$0.counts.isReplaced(by: rows) }
        let known = left.first { $0.counts.epoch == rows.epoch && $0.counts.key == rows.key }
        var counts = known?.counts ?? EvidenceCounts(rows.key, epoch: rows.epoch, series: .randomID())
        if left.contains(where: { $0.counts.isNewer(than: rows) }) { return counts }
        let id = try known?.id ?? insert(counts)
        var storage = try SQLiteRows(id, database)
        storage.others = left.filter { $0.id != id && $0.counts.isOtherBuild(in: counts) }.map(\.id)
        var rows = rows
        // The operations of a unit, one after another.
        rows.rows.sort { ($0.slot.tally.rawValue, $0.slot.unit) < ($1.slot.tally.rawValue, $1.slot.unit) }
        try counts.merge(rows, into: &storage)
        try storage.writeSettled()
        try database.execute(
            sql: "UPDATE counting SET bytes = ? WHERE id = ?",
            arguments: [try JSONEncoder.ofUpgrades(isForPeople: false).encode(counts), id]
        )
        return counts
    }

    private func all() throws -> [Stored] {
        try Row.fetchAll(
            database,
            sql: "SELECT id, bytes FROM counting WHERE capability = ?",
            arguments: [capability]
        )
        .map { row in Stored(id: row[0], counts: try decode(row[1])) }
    }

    private func insert(_ counts: EvidenceCounts) throws -> Int64 {
        try database.execute(
            sql: "INSERT INTO counting (capability, epoch, bytes) VALUES (?, ?, ?)",
            arguments: [capability, counts.epoch, try JSONEncoder.ofUpgrades(isForPeople: false).encode(counts)]
        )
        return database.lastInsertedRowID
    }

    private func remove(_ id: Int64) throws {
        for (table, column) in [("settledRow", "count"), ("openRow", "count"), ("counting", "id")] {
            try database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id])
        }
    }

    // MARK: Reading

    func builds(of epoch: Int) throws -> [EvidenceCounts] {
        try all().map(\.counts).filter { $0.epoch == epoch }
    }

    /// The counts under that key in its latest epoch.
    func counts(under key: EpochKey) throws -> EvidenceCounts? {
        try all().map(\.counts).filter { $0.key == key }.max { $0.epoch < $1.epoch }
    }
}

extension UpgradeStoreError {
    fileprivate static var unreadableRow: UpgradeStoreError {
        UpgradeStoreError(.unreadable, "a row of the counts cannot be read", subject: "upgrade.sqlite")
    }
}

/// The rows of one epoch under one key.
private struct SQLiteRows: EvidenceRowStorage {
    private let id: Int64
    /// The counts of other builds in the same epoch.
    var others: [Int64] = []
    /// The unit whose settled operations were read last.
    private var unit: (tally: EvidenceTally, unit: UInt64, settled: UInt64, isChanged: Bool)?
    private let readOtherBuilds: Statement
    private let readSettled: Statement
    private let writeSettledRow: Statement
    private let readOpen: Statement
    private let readOpenBefore: Statement
    private let forgetVisits: Statement
    private let writeOpen: Statement
    private let removeOpen: Statement

    init(_ id: Int64, _ database: Database) throws {
        self.id = id
        // Uses the primary keys of both tables.
        let sides = "(\(EvidenceTally.legacy.rawValue), \(EvidenceTally.candidate.rawValue))"
        readOtherBuilds = try database.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM settledRow WHERE count = :id AND tally IN \(sides) AND unit = :unit)
                    OR EXISTS (SELECT 1 FROM openRow WHERE count = :id AND tally IN \(sides) AND unit = :unit)
                """
        )
        readSettled = try database.cachedStatement(
            sql: "SELECT operations FROM settledRow WHERE count = ? AND tally = ? AND unit = ?"
        )
        writeSettledRow = try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO settledRow (count, tally, unit, operations) VALUES (?, ?, ?, ?)"
        )
        readOpen = try database.cachedStatement(
            sql: "SELECT marks, began FROM openRow WHERE count = ? AND tally = ? AND unit = ? AND operation = ?"
        )
        let visits = "(\(EvidenceTally.legacyVisits.rawValue), \(EvidenceTally.candidateVisits.rawValue))"
        readOpenBefore = try database.cachedStatement(
            sql: """
                SELECT tally, unit, operation, marks, began FROM openRow
                WHERE count = ? AND began <= ? AND tally NOT IN \(visits)
                """
        )
        forgetVisits = try database.cachedStatement(
            sql: "DELETE FROM openRow WHERE count = ? AND began <= ? AND tally IN \(visits) AND marks & ? = 0"
        )
        writeOpen = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO openRow (count, tally, unit, operation, marks, began)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        )
        removeOpen = try database.cachedStatement(
            sql: "DELETE FROM openRow WHERE count = ? AND tally = ? AND unit = ? AND operation = ?"
        )
    }

    mutating func state(at slot: EvidenceRow.Slot) throws -> EvidenceRow.State? {
        if !slot.tally.isOfVisits, try settled(slot) & 1 << UInt64(slot.operation) != 0 { return .settled }
        let row = try Row.fetchOne(readOpen, arguments: arguments(slot))
        return try row.map { row in
            guard let marks = Int64.fromDatabaseValue(row[0]), let began = Int64.fromDatabaseValue(row[1]) else {
                throw UpgradeStoreError.unreadableRow
            }
            return EvidenceRow.State(
                marks: Marks(bits: UInt32(truncatingIfNeeded: marks)),
                began: began,
                isSettled: false
            )
        }
    }

    mutating func set(_ state: EvidenceRow.State, at slot: EvidenceRow.Slot) throws {
        if state.isSettled {
            let operations = try settled(slot) | 1 << UInt64(slot.operation)
            unit = (slot.tally, slot.unit, operations, true)
            try removeOpen.execute(arguments: arguments(slot))
        } else {
            try writeOpen.execute(
                arguments: arguments(slot) + [Int64(state.marks.bits), state.began] as StatementArguments
            )
        }
    }

    mutating func open(before time: Int64) throws -> [EvidenceRow] {
        try Row.fetchAll(readOpenBefore, arguments: [id, time]).map { row in
            guard let number = UInt8.fromDatabaseValue(row[0]), let tally = EvidenceTally(rawValue: number),
                let unit = Int64.fromDatabaseValue(row[1]), let operation = UInt8.fromDatabaseValue(row[2]),
                let marks = Int64.fromDatabaseValue(row[3]), let began = Int64.fromDatabaseValue(row[4])
            else { throw UpgradeStoreError.unreadableRow }
            let marked = Marks(bits: UInt32(truncatingIfNeeded: marks))
            return EvidenceRow(
                slot: .init(unit: UInt64(bitPattern: unit), tally: tally, operation: operation),
                state: .init(marks: marked, began: began, isSettled: false)
            )
        }
    }

    func forgetVisits(before time: Int64) throws {
        try forgetVisits.execute(arguments: [id, time, Int64(Marks.all.met.bits)])
    }

    func isCountedByOtherBuild(_ unit: UInt64) throws -> Bool {
        for id in others {
            let arguments: StatementArguments = ["id": id, "unit": Int64(bitPattern: unit)]
            if try Bool.fetchOne(readOtherBuilds, arguments: arguments) ?? false { return true }
        }
        return false
    }

    /// The settled operations of the unit of that row, as bits.
    private mutating func settled(_ slot: EvidenceRow.Slot) throws -> UInt64 {
        if let unit, unit.tally == slot.tally, unit.unit == slot.unit { return unit.settled }
        try writeSettled()
        let arguments: StatementArguments = [id, Int(slot.tally.rawValue), Int64(bitPattern: slot.unit)]
        let operations = try Int64.fetchOne(readSettled, arguments: arguments).map { UInt64(bitPattern: $0) } ?? 0
        unit = (slot.tally, slot.unit, operations, false)
        return operations
    }

    /// Writes what was read last, if it has changed.
    mutating func writeSettled() throws {
        guard let unit, unit.isChanged else { return }
        try writeSettledRow.execute(
            arguments: [
                id, Int(unit.tally.rawValue), Int64(bitPattern: unit.unit), Int64(bitPattern: unit.settled),
            ]
        )
        self.unit?.isChanged = false
    }

    private func arguments(_ slot: EvidenceRow.Slot) -> StatementArguments {
        [id, Int(slot.tally.rawValue), Int64(bitPattern: slot.unit), Int(slot.operation)]
    }
}
#endif
