#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(5))) struct RehearsalTests {
    @Test(arguments: [StoredBy.v10, .v19])
    func `D16, D25, D28: V2 in the shadow leaves V1 as it is, and uses up nothing`(stored: StoredBy) async throws {
        try await with(stored) { installation, service in
            let before = try installation.contents()
            try await installation.withV1(at: service.url) { legacy in
                try await installation.rehearsing(at: service.url, allowsTelemetry: true) { candidate in
                    _ = try await candidate.catalogue.animals(AnimalsRequest())
                    #expect(try await candidate.accounts.state().userID == "amara")
                    #expect(service.control.calls(of: .exchange) == 0)
                    let orders = try await candidate.orders.orders(PageRequest()).items.map(\.id)
                    let known = try await legacy.orders.orders(PageRequest()).items.map(\.id)
                    #expect(known == orders)
                    #expect(service.control.calls(of: .exchange) == 1)
                    // It expires while V2 is in the shadow: its owner refreshes it once.
                    service.control.expireAccessTokens()
                    try await callConcurrently(20, candidate)
                    #expect(service.control.calls(of: .refresh) == 1)
                }
                _ = try await legacy.orders.orders(PageRequest())
            }
            #expect(service.control.calls(of: .telemetry) == 0)
            #expect(service.control.devices.isSubset(of: [Installation.device]))
            #expect(service.control.calls(of: .sendMessage) == 0)
            var after = try installation.contents()
            #expect(after.removeValue(forKey: "com.menagerie.session.v2.json") != nil)
            #expect(after == before)

            try await installation.withV2(at: service.url) { services in
                #expect(try await services.accounts.state().userID == "amara")
                _ = try await services.orders.orders(PageRequest())
            }
            #expect(service.control.exchangedTokens == 1)
        }
    }

    @Test
    func `D16: opened on a plain copy, V2 refreshes what is thrown away, and the user is signed out`() async throws {
        try await with(.v19) { installation, service in
            for round in 1...2 {
                let copy = temporaryDirectory()
                try FileManager.default.copyItem(atPath: installation.directory, toPath: copy)
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: service.url, key: "k", directory: copy)
                )
                if round == 1 {
                    _ = try await services.orders.orders(PageRequest())
                    service.control.expireAccessTokens()
                    _ = try await services.orders.orders(PageRequest())
                } else {
                    await expect(.authenticationRequired) { try await services.orders.orders(PageRequest()) }
                }
                await services.close()
                try FileManager.default.removeItem(atPath: copy)
            }
        }
    }

    @Test
    func `D16: the one that answers and the one that rehearses have one session between them`() async throws {
        try await with(.v2) { installation, service in
            let owner = MenagerieV2Credentials(directory: installation.directory)
            var configuration = MenagerieV2Configuration(
                serviceURL: service.url,
                key: "k",
                directory: installation.directory,
                credentials: owner
            )
            configuration.deadline = .seconds(20)
            let rehearsing = try await rehearseMenagerieV2(configuration)
            let answering = try await openMenagerieV2(configuration)
            let refreshes = service.control.calls(of: .refresh)
            service.control.expireAccessTokens()
            try await callConcurrently(20, answering, rehearsing)
            #expect(service.control.calls(of: .refresh) == refreshes + 1)
            await answering.close()
            // The remaining instance asks for the next one.
            service.control.expireAccessTokens()
            try await callConcurrently(5, rehearsing)
            #expect(service.control.calls(of: .refresh) == refreshes + 2)
            await rehearsing.close()
            let state = try await installation.withV2(at: service.url) { services in
                _ = try await services.orders.orders(PageRequest())
                return try await services.accounts.state()
            }
            #expect(state.userID == "amara")
        }
    }

    @Test
    func `D26: a user who signs out on V1 is signed out in the shadow, and does not come back`() async throws {
        try await with(.v19) { installation, service in
            let owner = MenagerieV2Credentials(directory: installation.directory)
            try await installation.withV1(at: service.url) { legacy in
                try await installation.rehearsing(at: service.url, credentials: owner) { candidate in
                    _ = try await candidate.orders.orders(PageRequest())
                    try await legacy.accounts.signOut()
                    try await owner.reload(for: nil)
                    #expect(try await candidate.accounts.state() == .signedOut)
                    #expect(service.control.calls(of: .revoke) == 1)
                    await expect(.authenticationRequired) { try await candidate.orders.orders(PageRequest()) }
                    _ = try await legacy.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
                    try await owner.reload(for: "noor")
                    #expect(try await candidate.accounts.state().userID == "noor")
                    _ = try await candidate.orders.orders(PageRequest())
                }
            }
            #expect(try await owner.storedUser() == "noor")
        }
    }

    @Test(arguments: [nil, "noor"])
    func `D26: what V2 was refreshing while V1 signed out does not come back`(next: String?) async throws {
        try await with(.v19) { installation, service in
            let owner = MenagerieV2Credentials(directory: installation.directory)
            try await installation.withV1(at: service.url) { legacy in
                try await installation.rehearsing(at: service.url, credentials: owner) { candidate in
                    _ = try await candidate.orders.orders(PageRequest())
                    service.control.expireAccessTokens()
                    service.control.inject(.hold, on: .refresh)
                    let asking = Task { try await candidate.orders.orders(PageRequest()) }
                    await service.control.waitForHeld(exactly: 1)
                    try await legacy.accounts.signOut()
                    if let next { _ = try await legacy.accounts.signIn(Credentials(user: next, password: "sandbox")) }
                    service.control.releaseHeld()
                    _ = await asking.result
                    try await owner.reload(for: next)
                    #expect(try await candidate.accounts.state().userID == next)
                }
            }
            #expect(try await owner.storedUser() == next)
        }
    }

    @Test
    func `The shadow signs no user in or out, and leaves no directory behind`() async throws {
        try await with(.v19) { installation, service in
            func copies() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: installation.directory)
                    .filter { $0.hasPrefix("sanctuary.shadow-") }.sorted()
            }
            // What two killed processes have left, one of them just now.
            let (old, new) = ("sanctuary.shadow-1", "sanctuary.shadow-2")
            for name in [old, new] {
                try FileManager.default.createDirectory(
                    atPath: "\(installation.directory)/\(name)",
                    withIntermediateDirectories: true
                )
            }
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60)],
                ofItemAtPath: "\(installation.directory)/\(old)"
            )
            try await installation.rehearsing(at: service.url) { candidate in
                let found = try copies()
                #expect(found.count == 2 && found.contains(new), "\(found)")
                await expect(.unsupported) { try await candidate.accounts.signOut() }
                await expect(.unsupported) {
                    try await candidate.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
                }
            }
            let left = try copies()
            #expect(left == [new])
            #expect(installation.hasSessionFile)
            #expect(service.control.calls(of: .signIn) == 0)
        }
    }

    @Test
    func `D28: an installation's id that is locked is not created anew in the shadow`() async throws {
        try await with(.v19) { installation, service in
            let device = installation.directory + "/menagerie.device"
            try await installation.locked(device) {
                let error = await #expect(throws: SanctuaryError.self) {
                    try await installation.rehearsing(at: service.url) { _ in }
                }
                #expect(error?.subject == device)
            }
            #expect(service.control.totalCalls == 0)
        }
    }

    private func callConcurrently(_ count: Int, _ services: SanctuaryServices...) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let services = services[number % services.count]
                group.addTask { _ = try await services.orders.orders(PageRequest()) }
            }
            try await group.waitForAll()
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

extension KilledProcessTests {
    @Suite struct RehearsalKillTests {
        @Test(arguments: ["in the middle of the exchange", "after it"])
        func `D25: killed in the shadow, V2 leaves V1's state byte for byte, and its user signed in`(
            at moment: String
        ) async throws {
            let installation = try Installation(.v19)
            defer { installation.remove() }
            let service = try await startService()
            let before = try installation.contents()
            if moment != "after it" { service.control.inject(.commitThenCut, on: .exchange, times: 2) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = service.url as String, directory = installation.directory as String] in
                let services = try await rehearseMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "k", directory: directory)
                )
                do { _ = try await services.orders.orders(PageRequest()) } catch {}
                _ = kill(getpid(), SIGKILL)
            }
            service.control.clearFaults()
            #expect(service.control.exchangedTokens == 1)
            var after = try installation.contents()
            after["com.menagerie.session.v2.json"] = nil
            // The next process removes the copy of the killed one.
            #expect(after.filter { !$0.key.hasPrefix("sanctuary.shadow-") } == before)
            try await installation.withV1(at: service.url) { services in
                _ = try await services.orders.orders(PageRequest())
            }
            try await installation.withV2(at: service.url) { services in
                _ = try await services.orders.orders(PageRequest())
            }
            #expect(service.control.exchangedTokens == 1)
            await service.stop()
        }
    }
}

extension Installation {
    /// Every file below the directory, by its path there.
    func contents() throws -> [String: Data] {
        let files = FileManager.default
        var contents: [String: Data] = [:]
        for path in try files.subpathsOfDirectory(atPath: directory) {
            var isFolder: ObjCBool = false
            let whole = directory + "/" + path
            guard files.fileExists(atPath: whole, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            contents[path] = try Data(contentsOf: URL(fileURLWithPath: whole))
        }
        return contents
    }

    /// Opens V2 of the SDK next to it, as the shadow.
    func rehearsing<Value: Sendable>(
        at url: String,
        allowsTelemetry: Bool = false,
        credentials: MenagerieV2Credentials? = nil,
        _ body: (SanctuaryServices) async throws -> Value
    ) async throws -> Value {
        let services = try await rehearseMenagerieV2(
            MenagerieV2Configuration(
                serviceURL: url,
                key: "test",
                directory: directory,
                allowsTelemetry: allowsTelemetry,
                credentials: credentials
            )
        )
        let result: Result<Value, any Error>
        do { result = .success(try await body(services)) } catch { result = .failure(error) }
        await services.close()
        return try result.get()
    }
}
#endif
