#if SQLite
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

/// The files of an upgrade's log are removed or replaced while they are open. The next process reads what the log
/// acknowledged.
@Suite struct ReplacedUpgradeLogTests {
    /// The suffixes of the file, of SQLite's log and of its index.
    static let removals = [["", "-wal", "-shm"], [""], ["-wal"], ["-shm"], ["-wal", "-shm"]]

    @Test(arguments: removals)
    func `what was noted is there for the next process, whichever files were removed`(_ suffixes: [String])
        async throws
    {
        try await UpgradeFolder.with { folder in
            let log = try folder.store().log
            try await log.noteWrite(by: "keeper", capability: "a")
            for suffix in suffixes { try folder.remove("upgrade.sqlite" + suffix) }
            try await log.noteWrite(by: "carer", capability: "a")
            try await log.append(
                EvidenceSnapshot(
                    capability: "a",
                    at: 7,
                    reading: Readings.good(at: .legacyOnly),
                    outcomes: OutcomeCounts([:])
                )
            )
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                let log = try SQLiteUpgradeLog(path: path + "/upgrade.sqlite")
                guard try await log.hasWritten("carer", capability: "a") else { exit(3) }
                guard try await log.snapshots(of: "a", epoch: nil, last: 9).map(\.at) == [7] else { exit(4) }
            }
            #expect(try await log.hasWritten("keeper", capability: "a") == !suffixes.contains(""))
        }
    }

    @Test func `an emptied file is begun anew`() async throws {
        try await UpgradeFolder.with { folder in
            let log = try folder.store().log
            try await log.noteWrite(by: "keeper", capability: "a")
            try #require(truncate(folder.path + "/upgrade.sqlite", 0) == 0)
            try await log.noteWrite(by: "carer", capability: "a")
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                let log = try SQLiteUpgradeLog(path: path + "/upgrade.sqlite")
                guard try await log.hasWritten("carer", capability: "a") else { exit(3) }
            }
        }
    }

    @Test func `a new log has the line of the state that holds, and what comes`() async throws {
        try await UpgradeFolder.with { folder in
            let (store, plan) = (try folder.store(), try Readings.plan())
            _ = try await store.carryOut(Requests.request(.advance(despiteGate: true), id: "1"), for: "a", plan: plan)
            _ = try await store.carryOut(Requests.request(.kill(.freeze), id: "2"), for: "a", plan: plan)
            for suffix in ["", "-wal", "-shm"] { try folder.remove("upgrade.sqlite" + suffix) }
            #expect(try await store.history(of: "a", last: 5).map(\.id) == ["2"])
            _ = try await store.carryOut(Requests.request(.resume, id: "3"), for: "a", plan: plan)
            await #expect(processExitsWith: .success) { [path = folder.path as String] in
                let history = try await FileUpgradeStore(directory: path).history(of: "a", last: 5)
                guard history.map(\.id) == ["3", "2"] else { exit(3) }
            }
        }
    }

    @Test func `a directory that was removed is made again`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            try await store.log.noteWrite(by: "keeper", capability: "a")
            try FileManager.default.removeItem(atPath: folder.path)
            try await store.log.noteWrite(by: "carer", capability: "a")
            let request = Requests.request(.advance(despiteGate: true), id: "1")
            _ = try await store.carryOut(request, for: "a", plan: try Readings.plan())
            #expect(try await store.history(of: "a", last: 5).map(\.id) == ["1"])
            #expect(try await folder.store().log.hasWritten("carer", capability: "a"))
        }
    }

    @Test func `where nothing can be written any more the log says so`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/upgrade.sqlite"
            let log = try SQLiteUpgradeLog(path: path)
            try FileManager.default.removeItem(atPath: folder.path)
            let error = await #expect(throws: UpgradeStoreError.self) {
                try await log.noteWrite(by: "carer", capability: "a")
            }
            #expect(error?.code == .unavailable)
            #expect(error?.subject == path)
        }
    }
}
#endif
