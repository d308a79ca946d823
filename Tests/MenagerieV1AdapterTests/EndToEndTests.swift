#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

/// Tests the whole path over HTTP, serialised because the SDK is a singleton.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EndToEndTests {
    @Test("CANC-08: closing is idempotent, ends streams, and refuses every later call")
    func closing() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let services = sanctuary.services
            let events = Subscription(services.accessories.events())
            await services.close()
            await services.close()
            let ended = await events.end()
            #expect(ended?.code == .closed)
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await services.catalogue.animals(AnimalsRequest()) },
                { _ = try await services.catalogue.animal(AnimalID("not-a-number")) },
                { _ = try await services.photos.photo(of: AnimalID("1")) },
                { _ = try await services.accessories.accessories() },
                { try await services.accessories.activate(AccessoryID("collar-1")) },
                { try await services.accessories.release(AccessoryID("collar-1")) },
                { _ = try await services.orders.orders(PageRequest()) },
                { _ = try await services.orders.order(OrderID("o-1")) },
                { _ = try await services.orders.place(OrderDraft(lines: [], key: "k")) },
                { _ = try await services.messages.messages(PageRequest()) },
                { _ = try await services.messages.send(MessageDraft(text: "t", key: "k")) },
                { _ = try await services.accounts.state() },
                { _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox")) },
                { try await services.accounts.signOut() },
                { for try await _ in services.messages.events() {} },
                { for try await _ in services.accessories.events() {} },
            ]
            for (index, call) in calls.enumerated() {
                #expect(await SanctuaryError.of(call)?.code == .closed, "call \(index)")
            }
        }
    }

    @Test("the SDK is open once at a time")
    func openTwice() async throws {
        try await OpenSanctuary.with { sanctuary in
            let configuration = MenagerieV1Configuration(
                serviceURL: sanctuary.service.url,
                key: "test",
                directory: sanctuary.directory,
                issues: sanctuary.issues.sink
            )
            #expect(await SanctuaryError.of { try await openMenagerieV1(configuration) }?.code == .conflict)
        }
    }

    @Test(
        "invalid configurations are refused",
        arguments: [
            ("", "key", "d"), ("ftp://host", "key", "d"), ("http://", "key", "d"), ("http://127.0.0.1:1", "", "d"),
            ("http://127.0.0.1:1", "key", "/dev/null/d"),
        ]
    )
    func badConfiguration(url: String, key: String, directory: String) async throws {
        let error = await SanctuaryError.of {
            try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: url,
                    key: key,
                    directory: directory,
                    issues: IssueSink { _, _ in }
                )
            )
        }
        #expect(error?.code == .invalidRequest)
    }
}
#endif
