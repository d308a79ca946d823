#if Sandbox
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1
@testable import MenagerieV1Adapter

/// Tests what becomes of messages that could not be sent before, and which answer is theirs.
extension EndToEndTests {
    @Test(
        "WAIT-05: only the vendor's refusal of its text drops a kept message, not a gateway's of anything",
        arguments: [
            .gateway(400), .gateway(405), .gateway(413), .gateway(422), .gateway(451), .status(400), .status(413),
        ] as [Fault]
    )
    func refusedByOthers(fault: Fault) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            try sanctuary.keep("one", "two")
            let messages = sanctuary.services.messages
            // One for the kept messages, one for the message itself.
            sanctuary.control.inject(fault, on: .sendMessage, times: 2)
            let refused = await SanctuaryError.of { try await messages.send(MessageDraft(text: "three", key: "three")) }
            #expect(refused?.code == .invalidRequest)
            #expect(try sanctuary.kept == ["one", "two"])
            _ = try await messages.send(MessageDraft(text: "four", key: "four"))
            #expect(
                try await messages.messages(PageRequest(limit: 1000)).items.suffix(3).map(\.text) == [
                    "one", "two", "four",
                ]
            )
            #expect(sanctuary.issues.issues.isEmpty)
        }
    }

    /// How the second of two kept messages fails: nil for a refusal of its text.
    @Test(arguments: [nil, .gateway(503)] as [Fault?])
    func `a kept message that has arrived is its own answer, whatever becomes of the one after it`(
        fault: Fault?
    ) async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            try sanctuary.keep("one", fault == nil ? String(repeating: "x", count: 4001) : "two")
            if let fault { sanctuary.control.inject(fault, on: .sendMessage, after: 1) }
            let messages = sanctuary.services.messages
            let sent = try await messages.send(MessageDraft(text: "one", key: "one"))
            #expect(try await messages.messages(PageRequest(limit: 1000)).items.last == sent)
            #expect(sanctuary.control.calls(of: .sendMessage) == 2)
            #expect(try sanctuary.kept == (fault == nil ? [] : ["two"]))
        }
    }
}

extension OpenSanctuary {
    /// Stores messages of amara that could not be sent, each under the beginning of its text.
    fileprivate func keep(_ texts: String...) throws {
        let outbox = try #require(Menagerie.shared.currentOutbox)
        for text in texts {
            // In whole seconds, as the service keeps the time.
            let sentAt = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            let id = String(text.prefix(10))
            try outbox.add(MenagerieUnsentMessage(id: id, userID: "amara", text: text, sentAt: sentAt))
        }
    }

    fileprivate var kept: [String] { get throws { try #require(Menagerie.shared.currentOutbox).messages().map(\.id) } }
}
#endif
