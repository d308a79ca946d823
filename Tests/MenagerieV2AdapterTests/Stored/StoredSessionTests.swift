#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(5))) struct StoredSessionTests {
    @Test(arguments: [StoredBy.v10, .v19])
    func `D25: a session stored by V1 is known before anything is asked, and exchanged once for 20 calls`(
        stored: StoredBy
    ) async throws {
        try await with(stored) { installation, service in
            try await installation.withV2(at: service.url) { services in
                #expect(try await services.accounts.state().userID == "amara")
                #expect(service.control.calls(of: .exchange) == 0)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { _ = try await services.orders.orders(PageRequest()) } }
                    try await group.waitForAll()
                }
                #expect(service.control.calls(of: .exchange) == 1)
            }
            #expect(installation.hasSessionFile)
        }
    }

    @Test
    func `D27: two instances upon one directory know the same user, and take over one session`() async throws {
        try await with(.v19) { installation, service in
            async let one = opened(installation, service)
            async let other = opened(installation, service)
            let users = try await [one, other]
            #expect(users == ["amara", "amara"])
            #expect(service.control.exchangedTokens == 1)
            #expect(installation.hasSessionFile)
        }
    }

    private func opened(_ installation: Installation, _ service: RunningService) async throws -> String? {
        try await installation.withV2(at: service.url) { services in
            let user = try await services.accounts.state().userID
            _ = try await services.orders.orders(PageRequest())
            return user
        }
    }

    @Test
    func `D27: who is signed in is known from the first moment, where a naive screen shows the sign-in`() async throws {
        try await with(.v2) { installation, service in
            let state = try await installation.withV2(at: service.url) { try await $0.accounts.state() }
            #expect(state.userID == "amara")
            let options = MenagerieOptions(serviceURL: service.url, apiKey: "k", directory: installation.directory)
            #expect(await NaiveSignIn(client: MenagerieClient(options: options)).isShown)
        }
    }

    @Test
    func `D25: a session replaced or signed out is not restored by the other version`() async throws {
        for user in [nil, "noor"] {
            try await with(.v19) { installation, service in
                try await installation.withV2(at: service.url) { services in
                    if let user {
                        _ = try await services.accounts.signIn(Credentials(user: user, password: "sandbox"))
                    } else {
                        try await services.accounts.signOut()
                    }
                }
                let state = try await installation.withV1(at: service.url) { try await $0.accounts.state() }
                #expect(state == .signedOut)
            }
            try await with(.v2) { installation, service in
                try await installation.withV1(at: service.url) { services in
                    if let user {
                        _ = try await services.accounts.signIn(Credentials(user: user, password: "sandbox"))
                    }
                    try await services.accounts.signOut()
                }
                let state = try await installation.withV2(at: service.url) { try await $0.accounts.state() }
                #expect(state == .signedOut)
            }
        }
    }

    @Test func `D25: who signed in with V1 before it was killed is signed in, and not whom V2 had before`() async throws
    {
        try await with(.v2) { installation, service in
            let file = URL(fileURLWithPath: installation.sessionFile)
            let before = try Data(contentsOf: file)
            _ = try await installation.withV1(at: service.url) { services in
                try await services.accounts.signIn(Credentials(user: "kenji", password: "sandbox"))
            }
            // The process was killed before it could forget V2's session.
            try before.write(to: file)
            for _ in 0..<2 {
                try await installation.withV2(at: service.url) { services in
                    #expect(try await services.accounts.state().userID == "kenji")
                    _ = try await services.orders.orders(PageRequest())
                }
            }
        }
    }

    @Test(arguments: [-600, 600])
    func `D16: a clock that is ten minutes off does not sign the user out`(seconds: Int) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            sanctuary.control.advanceClock(by: .seconds(seconds))
            #expect(try await sanctuary.orders.orders(PageRequest()).items.count == 3)
            sanctuary.control.expireAccessTokens()
            #expect(try await sanctuary.orders.orders(PageRequest()).items.count == 3)
            #expect(sanctuary.control.calls(of: .refresh) == 1)
        }
    }

    @Test
    func `D16: a naive refresh at the stored date asks with a dead token, and 20 at once end the session`() async throws
    {
        try await OpenedSanctuary.with { sanctuary in
            let options = MenagerieOptions(serviceURL: sanctuary.url, apiKey: "k", directory: sanctuary.directory)
            let client = MenagerieClient(options: options)
            try await client.configure()
            let naive = try await NaiveTokens(client)
            sanctuary.control.expireAccessTokens()
            await #expect(throws: MenagerieError.self) { try await naive.orders() }
            let failures = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do { _ = try await naive.refreshed() } catch { return true }
                        return false
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(failures == 19)
            await client.shutdown()
        }
    }

    @Test
    func `D28: without consent no launch is reported, with it the installation keeps its id`() async throws {
        try await with(.v19) { installation, service in
            try await installation.withV2(at: service.url) { _ = try await $0.orders.orders(PageRequest()) }
            #expect(service.control.calls(of: .telemetry) == 0)
            try await installation.withV2(at: service.url, allowsTelemetry: true) { _ in
                await service.control.waitForCalls(of: .telemetry, atLeast: 1)
            }
            #expect(service.control.devices == [Installation.device])
        }
        try await with(.v19) { installation, service in
            let user = try await NaiveUpgrade(url: service.url, directory: installation.directory).user()
            #expect(user == "amara")
            await service.control.waitForCalls(of: .telemetry, atLeast: 1)
            #expect(!service.control.devices.contains(Installation.device))
        }
    }

    private func with(
        _ stored: StoredBy,
        _ body: (Installation, RunningService) async throws -> Void
    ) async throws {
        let installation = try Installation(stored)
        defer { installation.remove() }
        let service = try await startService()
        do { try await body(installation, service) } catch { Issue.record(error) }
        await service.stop()
    }
}

/// Shows the sign-in while the SDK knows no user.
private struct NaiveSignIn {
    let client: MenagerieClient

    var isShown: Bool { get async { await client.user == nil } }
}

/// Refreshes by the device's clock, separately for each caller and without a key.
private struct NaiveTokens: Sendable {
    private let client: MenagerieClient
    private let grant: TokenGrant
    private let expiry: Date

    init(_ client: MenagerieClient) async throws {
        self.client = client
        grant = try await client.authenticate(user: "amara", password: "sandbox")
        expiry = Date(timeIntervalSinceNow: Double(grant.expiresIn))
    }

    func orders() async throws -> Int {
        let token = Date() < expiry ? grant.accessToken : try await refreshed()
        return try await client.orders(accessToken: token).items.count
    }

    func refreshed() async throws -> String {
        try await client.refresh(refreshToken: grant.refreshToken).accessToken
    }
}
#endif
