import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

/// What happens to an installation.
enum Fate: String, CaseIterable, CustomTestStringConvertible {
    case upgrade, kill, locked, downgrade

    var testDescription: String { rawValue }
}

extension KilledProcessTests {
    /// The rows session, device id and outbox of the state-survival table.
    @Suite struct SurvivalTests {
        @Test(arguments: StoredBy.allCases, Fate.allCases)
        func `D16, D25, D26, D28: session, device id and outbox survive`(stored: StoredBy, fate: Fate) async throws {
            let installation = try Installation(stored)
            defer { installation.remove() }
            let service = try await startService()
            do {
                try await live(stored, fate, installation, service)
                #expect(service.control.devices == [Installation.device])
                #expect(service.control.exchangedTokens == (stored == .v2 ? 0 : 1))
            } catch {
                Issue.record(error)
            }
            await service.stop()
        }

        private func live(
            _ stored: StoredBy,
            _ fate: Fate,
            _ installation: Installation,
            _ service: RunningService
        ) async throws {
            switch fate {
            case .upgrade:
                break
            case .kill:
                await #expect(processExitsWith: .signal(SIGKILL)) { [directory = installation.directory as String] in
                    try await LegacyArchive(directory: directory).hidden { _ = kill(getpid(), SIGKILL) }
                }
                // Twice, because libcurl repeats a call on a connection that it has used before.
                service.control.inject(.commitThenCut, on: stored == .v2 ? .refresh : .exchange, times: 2)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [url = service.url as String, directory = installation.directory as String] in
                    let services = try await openMenagerieV2(
                        MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                    )
                    // The server has given new tokens, and this process has not kept them.
                    await #expect(throws: SanctuaryError.self) { try await services.orders.orders(PageRequest()) }
                    _ = kill(getpid(), SIGKILL)
                }
                service.control.clearFaults()
            case .locked:
                try await installation.locked {
                    try await installation.withV2(at: service.url) { (services) -> Void in
                        let error = await #expect(throws: SanctuaryError.self) { try await services.accounts.state() }
                        #expect(error?.subject == installation.sessionFile)
                    }
                }
            case .downgrade:
                _ = try await installation.withV2(at: service.url) { try await $0.orders.orders(PageRequest()) }
                try await installation.withV1(at: service.url) { services in
                    if stored == .v2 {
                        // V2's tokens mean nothing to V1: the one cell that is not kept.
                        #expect(try await services.accounts.state() == .signedOut)
                        _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
                    }
                    try await check(services)
                }
            }
            try await installation.withV2(at: service.url) { try await check($0) }
        }

        /// Amara is signed in, and what she could not send before is there once.
        private func check(_ services: SanctuaryServices) async throws {
            #expect(try await services.accounts.state().userID == "amara")
            #expect(try await services.orders.orders(PageRequest()).items.isEmpty == false)
            _ = try await services.messages.send(MessageDraft(text: "now", key: UUID().uuidString))
            let messages = try await services.messages.messages(PageRequest()).items
            #expect(messages.filter { $0.text == Installation.unsent }.map(\.author) == ["amara"])
        }

        @Test(arguments: [(.v10, .upgrade), (.v19, .kill), (.v19, .locked), (.v19, .downgrade)] as [(StoredBy, Fate)])
        func `D25: the SDK alone loses what a naive upgrade trusts it with`(stored: StoredBy, fate: Fate) async throws {
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
                try await installation.locked {
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

/// Opens V2 where V1 was, as its documentation says.
struct NaiveUpgrade {
    let url: String
    let directory: String

    /// Who is signed in then.
    func user() async throws -> String? {
        let client = MenagerieClient(options: .init(serviceURL: url, apiKey: "naive", directory: directory))
        try await client.configure()
        let user = await client.user
        await client.shutdown()
        return user?.id
    }
}
