#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

extension KilledProcessTests {
    /// The state-survival table, cell by cell.
    @Suite struct SurvivalTests {
        @Test(arguments: SurvivalTable.cells)
        func `D1, D8, D12, D16, D25, D26, D28: what an installation keeps survives, as the table says`(
            _ cell: SurvivalTable.Cell
        ) async throws {
            let survival = try await Survival(cell)
            do {
                let outcome = try await survival.outcome()
                #expect(outcome == cell.outcome)
            } catch {
                Issue.record(error)
            }
            await survival.end()
        }

        @Test func `D25: the survival table has each of its cells once`() {
            var missing = Set<[String]>()
            for kept in Survival.Kept.allCases {
                for stored in StoredBy.allCases {
                    for fate in Survival.Fate.allCases {
                        missing.insert([kept.rawValue, stored.rawValue, fate.rawValue])
                    }
                }
            }
            #expect(missing.count == 72)
            #expect(SurvivalTable.cells.count == 72)
            for cell in SurvivalTable.cells {
                missing.remove([cell.kept.rawValue, cell.stored.rawValue, cell.fate.rawValue])
            }
            #expect(missing == [])
        }

        @Test func `D25: MIGRATION.md has the survival table that is tested`() throws {
            #expect(try SurvivalTable.documented() == SurvivalTable.rows)
        }

        @Test(
            arguments: [(.v10, .upgrade), (.v19, .kill), (.v19, .locked), (.v19, .downgrade)]
                as [(StoredBy, Survival.Fate)]
        )
        func `D25: the SDK alone loses what a naive upgrade trusts it with`(stored: StoredBy, fate: Survival.Fate)
            async throws
        {
            let installation = try Installation(stored)
            defer { installation.remove() }
            let service = try await startService()
            let naive = NaiveUpgrade(url: service.url, directory: installation.directory)
            switch fate {
            case .upgrade:
                #expect(try await naive.user() == nil)
            case .kill:
                service.control.inject(.commitThenCut, on: .exchange)
                #expect(try await naive.user() == nil)
                #expect(try await naive.user() == nil)
            case .locked:
                try await installation.locked(installation.sessionFile) {
                    let user = try await naive.user()
                    #expect(user == nil)
                }
                #expect(try await naive.user() == nil)
            case .downgrade:
                #expect(try await naive.user() == "amara")
                #expect(!installation.hasSessionFile)
            }
            await service.stop()
        }
    }
}

/// Opens V2 in V1's directory, as the SDK's documentation says.
struct NaiveUpgrade {
    let url: String
    let directory: String

    /// Returns the user who is signed in afterwards; nil if none.
    func user() async throws -> String? {
        let client = MenagerieClient(options: .init(serviceURL: url, apiKey: "naive", directory: directory))
        try await client.configure()
        let user = await client.user
        await client.shutdown()
        return user?.id
    }
}
#endif
