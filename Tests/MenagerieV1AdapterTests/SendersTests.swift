#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1Adapter
import SanctuaryDomain
import Testing

@testable import MenagerieV1

/// Tests which user's messages are sent when another user signs in meanwhile.
extension EndToEndTests {
    @Test(arguments: [[], ["of-kenji"]])
    func `a message that waits while another user signs in is not sent, nor are the other user's`(
        unsent: [String]
    ) async throws {
        let isGated = Mutex(false)
        let (waiting, gate) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let beforeSending: MenagerieV1Configuration.BeforeSending = { prepare in
            await prepare(true)
            if isGated.withLock({ $0 }) {
                waiting.continuation.finish()
                for await _ in gate.stream {}
            }
            return {}
        }
        try await OpenSanctuary.with(beforeSending: beforeSending) { sanctuary in
            try await sanctuary.signIn("amara")
            let outbox = try #require(Menagerie.shared.currentOutbox)
            for id in unsent {
                try outbox.add(MenagerieUnsentMessage(id: id, userID: "kenji", text: "brushed", sentAt: Date()))
            }
            isGated.withLock { $0 = true }
            let messages = sanctuary.services.messages
            let sending = Task {
                await SanctuaryError.of { try await messages.send(MessageDraft(text: "fed", key: "of-amara")) }
            }
            for await _ in waiting.stream {}
            try await sanctuary.signIn("kenji")
            gate.continuation.finish()
            #expect(await sending.value?.code == .authenticationRequired)
            #expect(sanctuary.control.calls(of: .sendMessage) == 0)
            #expect(try outbox.messages().map(\.id) == unsent)
            // They go out with Kenji's own next message.
            isGated.withLock { $0 = false }
            _ = try await messages.send(MessageDraft(text: "watered", key: "next"))
            let sent = try await messages.messages(PageRequest(limit: 1000)).items
            let keys = unsent + ["next"]
            #expect(sent.filter { $0.author == "kenji" }.map(\.id.rawValue).suffix(keys.count) == keys[...])
            #expect(!sent.contains { $0.id == MessageID("of-amara") })
        }
    }
}
#endif
