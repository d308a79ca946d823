#if Sandbox
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

/// A sign-in that was cancelled when the vendor had already stored the session.
extension EndToEndTests {
    @Test(arguments: [("kenji", isAnother: true), ("amara", isAnother: false)])
    func `D25: a cancelled sign-in that succeeded replaces the previous user`(
        user: String,
        isAnother: Bool
    ) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn("amara")
            let events = Subscription(sanctuary.services.messages.events())
            let stored = sanctuary.directory + "/com.menagerie.session.v2.json"
            try Data(#"{"account": {"id": "amara"}}"#.utf8).write(to: URL(fileURLWithPath: stored))
            let before = Menagerie.shared.session?.token
            let callbacks = Menagerie.shared.callbackQueue
            callbacks.suspend()
            let accounts = sanctuary.services.accounts
            let signingIn = Task { try await accounts.signIn(Credentials(user: user, password: "sandbox")) }
            while Menagerie.shared.session?.token == before { await Task.yield() }
            signingIn.cancel()
            await #expect(throws: CancellationError.self) { try await signingIn.value }
            callbacks.resume()
            #expect(try await accounts.state().account?.id == user)
            #expect(FileManager.default.fileExists(atPath: stored) == !isAnother)
            if isAnother {
                #expect(await events.end()?.code == .authenticationRequired)
            } else {
                let sent = try await sanctuary.services.messages.send(MessageDraft(text: "fed", key: "k"))
                #expect(try await events.next() == .received(sent))
            }
        }
    }
}
#endif
