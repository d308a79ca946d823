#if SQLite
    import Foundation
    import GRDB

    /// Reads and saves the counts of one capability in one transaction.
    struct SavingEvidence {
        private let capability: Data
        private let database: Database
        private let decode: (Data) throws -> EvidenceRecord

        /// - Parameter decode: decodes the bytes of a row.
        init(_ capability: String, _ database: Database, decode: @escaping (Data) throws -> EvidenceRecord) {
            self.capability = SQLiteUpgradeLog.key(capability)
            self.database = database
            self.decode = decode
        }

        /// An epoch under one key, and its row.
        private struct Stored {
            var id: Int64
            var record: EvidenceRecord
        }

        // MARK: Saving

        mutating func save(_ changes: EvidenceChanges) throws -> EvidenceRecord {
            let stored = try all()
            for epoch in stored where epoch.record.isReplaced(by: changes) { try remove(epoch.id) }
            let left = stored.filter { !$0.record.isReplaced(by: changes) }
            let known = left.first { $0.record.epoch == changes.epoch && $0.record.key == changes.key }
            var record = known?.record ?? EvidenceRecord(of: changes)
            if left.contains(where: { $0.record.isNewer(than: changes) }) { return record }
            let id = try known?.id ?? insert(record)
            var rows = try SQLiteEvidenceRows(id, database)
            rows.others = left.filter { $0.id != id && $0.record.isOtherBuild(in: record) }.map(\.id)
            let timings = try record.add(changes, to: &rows)
            let durations = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO timedCall (count, operation, slot, nanoseconds) VALUES (?, ?, ?, ?)"
            )
            for change in timings {
                try durations.execute(arguments: [id, Data(change.operation.utf8), change.slot, change.nanoseconds])
            }
            try database.execute(
                sql: "UPDATE counting SET bytes = ? WHERE id = ?",
                arguments: [try JSONEncoder.ofUpgrades(isForPeople: false).encode(record), id]
            )
            return record
        }

        private func all() throws -> [Stored] {
            try Row.fetchAll(
                database,
                sql: "SELECT id, bytes FROM counting WHERE capability = ?",
                arguments: [capability]
            )
            .map { row in Stored(id: row[0], record: try decode(row[1])) }
        }

        private func insert(_ record: EvidenceRecord) throws -> Int64 {
            try database.execute(
                sql: "INSERT INTO counting (capability, epoch, bytes) VALUES (?, ?, ?)",
                arguments: [capability, record.epoch, try JSONEncoder.ofUpgrades(isForPeople: false).encode(record)]
            )
            return database.lastInsertedRowID
        }

        private func remove(_ id: Int64) throws {
            for (table, column) in [
                ("settledUnit", "count"), ("openWindow", "count"), ("timedCall", "count"), ("counting", "id"),
            ] {
                try database.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [id])
            }
        }

        // MARK: Reading

        func records(of epoch: Int) throws -> [EvidenceRecord] {
            try all().map(\.record).filter { $0.epoch == epoch }
        }

        func saved(under key: EpochKey) throws -> SavedEvidence? {
            let found = try all().filter { $0.record.key == key }.max { $0.record.epoch < $1.record.epoch }
            guard let found else { return nil }
            var saved = SavedEvidence(record: found.record, settled: [:], open: [:], durations: [])
            let settled = try Row.fetchCursor(
                database,
                sql: "SELECT tally, unit, operations FROM settledUnit WHERE count = ?",
                arguments: [found.id]
            )
            while let row = try settled.next() {
                guard let tally = String.fromDatabaseValue(row[0]), let unit = Int64.fromDatabaseValue(row[1]),
                    let operations = Int64.fromDatabaseValue(row[2])
                else { throw unreadableRow }
                saved.settled[tally, default: []].append((UInt64(bitPattern: unit), UInt64(bitPattern: operations)))
            }
            let open = try Row.fetchCursor(
                database,
                sql: "SELECT tally, unit, place, began, outcome FROM openWindow WHERE count = ?",
                arguments: [found.id]
            )
            while let row = try open.next() {
                guard let tally = String.fromDatabaseValue(row[0]), let unit = Int64.fromDatabaseValue(row[1]),
                    let place = Int.fromDatabaseValue(row[2]), let began = Int64.fromDatabaseValue(row[3]),
                    let outcome = Data.fromDatabaseValue(row[4])
                else { throw unreadableRow }
                let text = String(decoding: outcome, as: UTF8.self)
                saved.open[tally, default: []].append((UInt64(bitPattern: unit), place, began, text))
            }
            saved.durations = try durations(found.id)
            return saved
        }

        /// The newest durations of the legacy side, of an epoch at `legacyOnly`.
        func baselineDurations(of epoch: Int) throws -> [CallDurations.Change] {
            let found = try all().first { $0.record.key == .baseline && $0.record.epoch == epoch }
            return try found.map { try durations($0.id) } ?? []
        }

        private func durations(_ id: Int64) throws -> [CallDurations.Change] {
            try Row.fetchAll(
                database,
                sql: "SELECT operation, slot, nanoseconds FROM timedCall WHERE count = ?",
                arguments: [id]
            ).map { row in
                guard let operation = Data.fromDatabaseValue(row[0]), let slot = Int.fromDatabaseValue(row[1]),
                    let nanoseconds = Int64.fromDatabaseValue(row[2])
                else { throw unreadableRow }
                let name = String(decoding: operation, as: UTF8.self)
                return CallDurations.Change(operation: name, slot: slot, nanoseconds: nanoseconds)
            }
        }

        private var unreadableRow: UpgradeStoreError {
            UpgradeStoreError(.unreadable, "a row of the counts cannot be read", subject: "upgrade.sqlite")
        }
    }

    /// The rows of the units of one epoch.
    private struct SQLiteEvidenceRows: EvidenceRows {
        private let id: Int64
        /// The counts of other builds in the same epoch.
        var others: [Int64] = []
        private let readOtherBuilds: Statement
        private let readSettled: Statement
        private let writeSettled: Statement
        private let readOpen: Statement
        private let writeOpen: Statement
        private let removeOpen: Statement

        init(_ id: Int64, _ database: Database) throws {
            self.id = id
            // Uses the primary keys of both tables.
            readOtherBuilds = try database.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM settledUnit WHERE count = :id AND tally IN ('legacy', 'candidate') AND unit = :unit)
                        OR EXISTS (SELECT 1 FROM openWindow WHERE count = :id AND tally IN ('legacy', 'candidate') AND unit = :unit)
                    """
            )
            readSettled = try database.cachedStatement(
                sql: "SELECT operations FROM settledUnit WHERE count = ? AND tally = ? AND unit = ?"
            )
            writeSettled = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO settledUnit (count, tally, unit, operations) VALUES (?, ?, ?, ?)"
            )
            readOpen = try database.cachedStatement(
                sql: "SELECT began, outcome FROM openWindow WHERE count = ? AND tally = ? AND unit = ? AND place = ?"
            )
            writeOpen = try database.cachedStatement(
                sql:
                    "INSERT OR REPLACE INTO openWindow (count, tally, unit, place, began, outcome) VALUES (?, ?, ?, ?, ?, ?)"
            )
            removeOpen = try database.cachedStatement(
                sql: "DELETE FROM openWindow WHERE count = ? AND tally = ? AND unit = ? AND place = ?"
            )
        }

        func isCountedByOtherBuild(_ unit: UInt64) throws -> Bool {
            for id in others {
                let arguments: StatementArguments = ["id": id, "unit": Int64(bitPattern: unit)]
                if try Bool.fetchOne(readOtherBuilds, arguments: arguments) ?? false { return true }
            }
            return false
        }

        func settled(_ unit: UInt64, in tally: String) throws -> UInt64 {
            let operations = try Int64.fetchOne(readSettled, arguments: [id, tally, Int64(bitPattern: unit)])
            return operations.map { UInt64(bitPattern: $0) } ?? 0
        }

        func setSettled(_ operations: UInt64, _ unit: UInt64, in tally: String) throws {
            let (unit, operations) = (Int64(bitPattern: unit), Int64(bitPattern: operations))
            try writeSettled.execute(arguments: [id, tally, unit, operations])
        }

        func open(_ unit: UInt64, at place: Int, in tally: String) throws -> (began: Int64, outcome: String)? {
            let row = try Row.fetchOne(readOpen, arguments: [id, tally, Int64(bitPattern: unit), place])
            guard let row, let began = Int64.fromDatabaseValue(row[0]), let outcome = Data.fromDatabaseValue(row[1])
            else {
                return nil
            }
            return (began, String(decoding: outcome, as: UTF8.self))
        }

        func setOpen(
            _ window: (began: Int64, outcome: String)?,
            _ unit: UInt64,
            at place: Int,
            in tally: String
        ) throws {
            let unit = Int64(bitPattern: unit)
            if let window {
                let outcome = Data(window.outcome.utf8)
                try writeOpen.execute(arguments: [id, tally, unit, place, window.began, outcome])
            } else {
                try removeOpen.execute(arguments: [id, tally, unit, place])
            }
        }
    }
#endif
