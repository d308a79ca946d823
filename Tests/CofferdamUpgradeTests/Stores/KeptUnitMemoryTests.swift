#if SQLite
import Cofferdam
import CofferdamUpgrade
import Foundation
import GRDB
import Testing
import UpgradeTestSupport

@Suite struct KeptUnitMemoryTests {
    @Test func `every process that opens the file knows which units have written`() async throws {
        try await UpgradeFolder.with { folder in
            let log = try folder.store().log
            for _ in 0..<2 { try await log.noteWrite(by: "keeper 🦊", capability: "orders") }
            for memory in [log, try folder.store().log] {
                #expect(try await memory.hasWritten("keeper 🦊", capability: "orders"))
                #expect(try await !memory.hasWritten("keeper 🦊", capability: "order"))
                #expect(try await !memory.hasWritten("keeper", capability: "orders"))
                #expect(try await !memory.hasWritten("", capability: ""))
            }
        }
    }

    @Test func `the file does not tell who it was`() async throws {
        try await UpgradeFolder.with { folder in
            try await folder.store().log.noteWrite(by: "amara@example.org", capability: "orders")
            for file in ["upgrade.sqlite", "upgrade.sqlite-wal"] where folder.has(file) {
                let bytes = try Data(contentsOf: URL(filePath: folder.path + "/" + file))
                #expect(bytes.firstRange(of: Data("amara".utf8)) == nil)
            }
        }
    }

    @Test func `a file from before units were remembered takes them`() async throws {
        try await UpgradeFolder.with { folder in
            _ = try SQLiteUpgradeLog(path: folder.path + "/upgrade.sqlite")
            let database = try DatabaseQueue(path: folder.path + "/upgrade.sqlite")
            try await database.write { database in
                try database.execute(
                    sql: """
                        DROP TABLE writer; DROP TABLE counting; DROP TABLE settledRow; DROP TABLE openRow;
                        CREATE TABLE evidence (capability BLOB); CREATE TABLE unit (capability BLOB);
                        CREATE TABLE duration (capability BLOB);
                        DELETE FROM grdb_migrations WHERE identifier LIKE 'units%' OR identifier = 'evidence as rows'
                        """
                )
            }
            try database.close()
            let log = try folder.store().log
            try await log.noteWrite(by: "keeper", capability: "orders")
            #expect(try await log.hasWritten("keeper", capability: "orders"))
        }
    }

    /// What users would see otherwise: the legacy side's list, without what they have just written.
    @Test func `killed in the middle of a unit's first write, nothing of it is read on the old side afterwards`()
        async throws
    {
        try await UpgradeFolder.with { folder in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
                let log = FileUpgradeStore(directory: path).log
                let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate, memory: log)
                upgrade.candidate.respond { _ in
                    kill(getpid(), SIGKILL)
                    throw CancellationError()
                }
                try await upgrade.call(.write)
            }
            let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate, memory: folder.store().log)
            upgrade.candidate.fail(.failed)
            await #expect(throws: ZooError(meaning: .failed)) { try await upgrade.call(.read) }
            #expect(upgrade.sides == ["candidate"])
            let other = try ZooUpgrade(
                .candidateWithFallback,
                unit: "another",
                dataOwnership: .separate,
                memory: folder.store().log
            )
            other.candidate.fail(.failed)
            try await other.call(.read)
            #expect(other.sides == ["candidate", "legacy"])
        }
    }
}
#endif
