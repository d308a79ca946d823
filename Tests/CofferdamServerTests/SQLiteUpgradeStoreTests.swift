#if Server
import CofferdamUpgrade
import Testing
import UpgradeTestSupport
@testable import CofferdamServer

@Suite struct SQLiteUpgradeStoreTests {
    @Test func `it keeps the contract of a store`() async throws {
        try await UpgradeFolder.with { folder in
            let log = try SQLiteUpgradeLog(path: folder.path + "/upgrades.sqlite")
            try await UpgradeStoreContract(SQLiteUpgradeStore(log: log)).holds()
        }
    }

    @Test func `another process goes on where the first one stopped`() async throws {
        try await UpgradeFolder.with { folder in
            let path = folder.path + "/upgrades.sqlite"
            let plan = try Readings.plan()
            let first = SQLiteUpgradeStore(log: try SQLiteUpgradeLog(path: path))
            let stored = try await first.carryOut(Requests.request(.kill(.legacy), id: "1"), for: "a", plan: plan)
            let second = SQLiteUpgradeStore(log: try SQLiteUpgradeLog(path: path))
            #expect(try await second.read("a") == stored)
            #expect(try await second.history(of: "a", last: 9).map(\.id) == ["1"])
        }
    }

    @Test func `refused requests are kept, the last ones`() async throws {
        try await UpgradeFolder.with { folder in
            let log = try SQLiteUpgradeLog(path: folder.path + "/upgrades.sqlite")
            for number in 0..<10 {
                let refused = RefusedRequest(
                    at: Int64(number),
                    by: nil,
                    address: "::1",
                    request: "GET /",
                    status: 401,
                    code: "unauthorized",
                    message: "\(number)"
                )
                try await log.add([refused], keeping: 4)
            }
            #expect(try await log.refusals(last: 9).map(\.message) == ["9", "8", "7", "6"])
            #expect(try await log.refusals(last: 2).count == 2)
        }
    }
}
#endif
