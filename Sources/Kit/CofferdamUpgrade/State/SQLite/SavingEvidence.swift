#if SQLite
    import Foundation
    import GRDB

    /// Adds what one process has counted to what stands in the file, in one transaction.
    struct SavingEvidence {
        private let capability: Data
        private let database: Database
        private let changes: EvidenceChanges
        /// What is to stand in the file.
        private(set) var record: EvidenceRecord
        /// Nil where what stood there was counted for another question, and goes.
        private let stored: EvidenceRecord?
        /// What stands there is of a later epoch: this process has not heard of it yet.
        private let isLate: Bool

        init(_ capability: Data, _ database: Database, _ stored: EvidenceRecord?, _ changes: EvidenceChanges) {
            (self.capability, self.database, self.changes) = (capability, database, changes)
            isLate = !changes.replacesAll && (stored?.epoch ?? 0) > changes.record.epoch
            let isSame = stored?.isSameQuestion(as: changes.record) ?? false
            self.stored = isSame || isLate ? stored : nil
            record = self.stored ?? changes.record
            record.baseline = record.baseline ?? (isLate ? nil : changes.record.baseline)
            // The legacy side's do not depend on the epoch.
            let baseline = EvidenceRecorder.baselineTally
            record.tallies[baseline] = stored?.tallies[baseline]
            record.nextSlot = stored?.nextSlot ?? 0
        }

        mutating func save() throws {
            if stored == nil {
                try database.execute(
                    sql: "DELETE FROM unit WHERE capability = ? AND tally <> ?",
                    arguments: [capability, EvidenceRecorder.baselineTally]
                )
            }
            for (name, tally) in changes.tallies {
                let isBaseline = name == EvidenceRecorder.baselineTally
                if isLate, !isBaseline { continue }
                // Where it begins anew, all that this process has counted counts.
                let before = stored == nil && !isBaseline ? .zero : tally.before
                let known = isBaseline || stored != nil ? record.tallies[name] ?? .zero : .zero
                record.tallies[name] = known + tally.record - before - (try saveUnits(of: tally, name))
            }
            try saveDurations()
        }

        /// - Returns: what others have counted as well.
        private func saveUnits(of tally: TallyChanges, _ name: String) throws -> TallyRecord {
            var twice = TallyRecord.zero
            if tally.isWhole {
                // Which of them are new nobody knows any more.
                try database.execute(
                    sql: "DELETE FROM unit WHERE capability = ? AND tally = ?",
                    arguments: [capability, name]
                )
            }
            let find = try database.cachedStatement(
                sql: "SELECT worst IS NULL FROM unit WHERE capability = ? AND tally = ? AND key = ?"
            )
            let write = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO unit (capability, tally, key, calls, worst) VALUES (?, ?, ?, ?, ?)"
            )
            for unit in tally.units {
                let key = Int64(bitPattern: unit.key)
                let isCounted = tally.isWhole ? nil : try Bool.fetchOne(find, arguments: [capability, name, key])
                if isCounted != nil, unit.isNew { twice.started += 1 }
                if isCounted == true {
                    if let verdict = unit.verdict { twice.counts[verdict, default: 0] += 1 }
                } else {
                    let worst = unit.worst.map { Data($0.utf8) }
                    try write.execute(arguments: [capability, name, key, unit.calls, worst])
                }
            }
            return twice
        }

        /// After those that stand there, in a circle.
        private mutating func saveDurations() throws {
            let last = try Int.fetchOne(
                database,
                sql: "SELECT max(slot) FROM duration WHERE capability = ?",
                arguments: [capability]
            )
            let most = max(1, changes.mostDurations)
            let count = min((last ?? -1) + 1, most)
            var slot = count < most ? count : min(max(0, record.nextSlot), most - 1)
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO duration (capability, slot, nanoseconds) VALUES (?, ?, ?)"
            )
            for nanoseconds in changes.durations {
                try statement.execute(arguments: [capability, slot, nanoseconds])
                slot = (slot + 1) % most
            }
            record.nextSlot = slot
        }
    }
#endif
