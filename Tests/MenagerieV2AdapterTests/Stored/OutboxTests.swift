#if Sandbox
import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    /// No server listens there.
    private static let nowhere = "http://127.0.0.1:1"

    @Test(arguments: [StoredBy.v19, .v2])
    func `D26: unsent messages survive signing out twice, offline, and another user's session`(
        stored: StoredBy
    ) async throws {
        let installation = try Installation(stored)
        defer { installation.remove() }
        let draft = MessageDraft(text: "fed", key: "k-1")
        try await installation.with(stored, at: Self.nowhere) { services in
            for _ in 0..<2 { await expect(.unreachable) { try await services.messages.send(draft) } }
            try await services.accounts.signOut()
            try await services.accounts.signOut()
            let state = try await services.accounts.state()
            #expect(state == .signedOut)
        }
        let service = try await startService()
        try await installation.with(stored, at: service.url) { services in
            _ = try await services.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
            _ = try await services.messages.send(MessageDraft(text: "visit", key: "k-2"))
            try await services.accounts.signOut()
            _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
            let sent = try await services.messages.send(draft)
            let messages = try await services.messages.messages(PageRequest()).items
            #expect(messages.filter { $0.text == "fed" } == [sent])
            #expect(messages.filter { $0.text == Installation.unsent }.map(\.author) == ["amara"])
            #expect(messages.filter { $0.text == "visit" }.map(\.author) == ["noor"])
        }
        #expect(service.control.devices == [Installation.device])
        await service.stop()
    }

    @Test
    func `D26: a message that failed because a token was needed first is stored as well`() async throws {
        let installation = try Installation(.v19)
        defer { installation.remove() }
        try await installation.withV2(at: Self.nowhere) { services in
            await expect(.unreachable) { try await services.messages.send(MessageDraft(text: "fed", key: "k-1")) }
        }
        let service = try await startService()
        try await installation.withV2(at: service.url) { services in
            _ = try await services.messages.send(MessageDraft(text: "now", key: "k-2"))
            let messages = try await services.messages.messages(PageRequest()).items
            #expect(messages.suffix(3).map(\.text) == [Installation.unsent, "fed", "now"])
        }
        await service.stop()
    }

    @Test
    func `D26: what was delivered, and its answer lost, is not delivered again`() async throws {
        let installation = try Installation(.v2)
        defer { installation.remove() }
        let service = try await startService()
        service.control.inject(.commitThenCut, on: .deliverOutbox, times: 2)
        try await installation.withV2(at: service.url) { services in
            _ = try await services.orders.orders(PageRequest())
            let keys = ["k-1", "k-2", "k-3"]
            for key in keys { _ = try await services.messages.send(MessageDraft(text: key, key: key)) }
            let texts = try await services.messages.messages(PageRequest()).items.map(\.text)
            #expect(texts.suffix(4).sorted() == [Installation.unsent] + keys)
        }
        #expect(service.control.calls(of: .deliverOutbox) == 3)
        await service.stop()
    }

    @Test
    func `D26: the SDK's own way out loses the outbox and the id, and throws the second time`() async throws {
        let installation = try Installation(.v2)
        defer { installation.remove() }
        let service = try await startService()
        let naive = NaiveSignOut(
            client: MenagerieClient(
                options: .init(
                    serviceURL: service.url,
                    apiKey: "naive",
                    directory: installation.directory,
                    lifecycleTelemetry: false
                )
            )
        )
        try await naive.client.configure()
        try await naive.signOut()
        #expect(try await naive.client.outbox.entries().isEmpty)
        #expect(try await naive.client.deviceStore.load() == nil)
        await #expect(throws: MenagerieError.notSignedIn) { try await naive.signOut() }
        await naive.client.shutdown()
        await service.stop()
    }
}

private struct NaiveSignOut {
    let client: MenagerieClient

    func signOut() async throws { try await client.signOut() }
}

extension Installation {
    /// Opens the SDK that has written it.
    fileprivate func with(
        _ stored: StoredBy,
        at url: String,
        _ body: (SanctuaryServices) async throws -> Void
    ) async throws {
        if stored == .v2 { try await withV2(at: url, body) } else { try await withV1(at: url, body) }
    }
}
#endif
