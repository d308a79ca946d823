#if Sandbox
import Cofferdam
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

/// Checks that a call that one user began is never made as another user who signs in meanwhile.
@Suite(.timeLimit(.minutes(2)))
struct UserChangeTests {
    private let kenji = Credentials(user: "kenji", password: "sandbox")

    @Test func `an order that waits for a new token is not the next user's`() async throws {
        let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 1, currency: .eur))
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.expireAccessTokens()
            sanctuary.control.inject(.hold, on: .refresh)
            let placing = Task { try await sanctuary.orders.place(OrderDraft(lines: [line], key: "k")) }
            await sanctuary.control.waitForHeld(exactly: 1)
            _ = try await sanctuary.accounts.signIn(kenji)
            let before = try await sanctuary.orders.orders(PageRequest()).items
            sanctuary.control.releaseHeld()
            await expect(.authenticationRequired) { try await placing.value }
            #expect(try await sanctuary.orders.orders(PageRequest()).items == before)
        }
    }

    @Test func `a message that waits for its turn is not the next user's`() async throws {
        let opened = Mutex<SanctuaryServices?>(nil)
        let service = try await startService(ServiceConfiguration(control: false))
        let configuration = MenagerieV2Configuration(
            serviceURL: service.url,
            key: "test",
            directory: temporaryDirectory(),
            beforeSending: { [kenji] prepare in
                if let services = opened.withLock({ $0.take() }) { _ = try await services.accounts.signIn(kenji) }
                await prepare(true)
                return {}
            }
        )
        let services = try await openMenagerieV2(configuration)
        _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
        opened.withLock { $0 = services }
        await expect(.authenticationRequired) {
            try await services.messages.send(MessageDraft(text: "amara's", key: "k"))
        }
        #expect(try await services.messages.messages(PageRequest()).items.allSatisfy { $0.text != "amara's" })
        await services.close()
        await service.stop()
    }
}
#endif
