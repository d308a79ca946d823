#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

/// State that cannot be used: V2 continues without V1's damaged files, reports them, and does not touch them; what is
/// locked while the SDK is opened is read later.
@Suite(.timeLimit(.minutes(5))) struct DamagedStateTests {
    @Test(arguments: ["menagerie.device", "menagerie.outbox"])
    func `D26, D28: a damaged file of V1 is an issue that names it, and the user stays signed in`(name: String)
        async throws
    {
        let installation = try Installation(.v19)
        defer { installation.remove() }
        let file = URL(fileURLWithPath: installation.directory + "/" + name)
        try Data("x".utf8).write(to: file)
        let service = try await startService()
        let issues = Issues()
        let sink = IssueSink { found, operation in issues.add(found, of: operation) }
        try await installation.withV2(at: service.url, issues: sink) { services in
            let state = try await services.accounts.state()
            #expect(state.userID == "amara")
            let orders = try await services.orders.orders(PageRequest()).items
            #expect(!orders.isEmpty)
        }
        #expect(issues.all.count == 1)
        let reported = "\(issues.all.map(\.path)) \(issues.all.map(\.what))"
        #expect(reported.contains(file.path), "\(reported)")
        #expect(try Data(contentsOf: file) == Data("x".utf8))
        #expect(service.control.devices.contains(Installation.device) == (name != "menagerie.device"))
        await service.stop()
    }

    @Test(
        arguments: [
            (.v19, "menagerie.device"), (.v2, "com.menagerie.device.v2.json"), (.v19, StoredBy.v19.sessionFile),
            (.v2, StoredBy.v2.sessionFile),
        ] as [(StoredBy, String)]
    )
    func
        `D25, D28: opened before the device's first unlock, the SDK works after it, with the id and the user of before`(
            stored: StoredBy,
            file: String
        ) async throws
    {
        try await openedWhileLocked(stored, file) { services in
            let state = try await services.accounts.state()
            #expect(state.userID == "amara")
            let orders = try await services.orders.orders(PageRequest()).items
            #expect(!orders.isEmpty)
        }
    }

    @Test(arguments: [(StoredBy.v19, "menagerie.device"), (.v2, "com.menagerie.device.v2.json")])
    func `D28: a user who signs out before the device's first unlock signs in after it, and each error names the file`(
        stored: StoredBy,
        device: String
    ) async throws {
        let credentials = Credentials(user: "amara", password: "sandbox")
        try await openedWhileLocked(stored, device) { file, services in
            try await services.accounts.signOut()
            let state = try await services.accounts.state()
            #expect(state == .signedOut)
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await services.catalogue.animals(AnimalsRequest()) },
                { _ = try await services.accounts.signIn(credentials) },
                { _ = try await services.messages.send(MessageDraft(text: "fed", key: "k-1")) },
            ]
            for call in calls { #expect(await SanctuaryError.of(call)?.subject == file) }
        } unlocked: { services in
            let state = try await services.accounts.state()
            #expect(state == .signedOut)
            _ = try await services.accounts.signIn(credentials)
            _ = try await services.messages.send(MessageDraft(text: "fed", key: "k-1"))
        }
    }

    /// Opens V2 while a file is locked, and unlocks it while V2 is open.
    private func openedWhileLocked(
        _ stored: StoredBy,
        _ name: String,
        locked: (_ file: String, SanctuaryServices) async throws -> Void = { _, _ in },
        unlocked: (SanctuaryServices) async throws -> Void
    ) async throws {
        let installation = try Installation(stored)
        defer { installation.remove() }
        let service = try await startService()
        let configuration = MenagerieV2Configuration(
            serviceURL: service.url,
            key: "test",
            directory: installation.directory
        )
        let file = installation.directory + "/" + name
        var opened: SanctuaryServices?
        try await installation.locked(file) {
            let services = try await openMenagerieV2(configuration)
            opened = services
            #expect(await SanctuaryError.of { try await services.accounts.state() }?.subject == file)
            try await locked(file, services)
        }
        let services = try #require(opened)
        try await unlocked(services)
        await services.close()
        #expect(service.control.devices.isSubset(of: [Installation.device]))
        await service.stop()
    }
}
#endif
