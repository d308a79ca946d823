#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test("D22, D23, STRM-01: messages are listed oldest first, and delivered in order")
    func messages() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let port = sanctuary.services.messages
            let events = Subscription(port.events())
            let sent = try await port.send(MessageDraft(text: "fed", key: "mine"))
            #expect(sent.id == MessageID("mine"))
            #expect(sent.author == "amara")
            let other = try sanctuary.control.postMessage(author: "noor", text: "thanks")
            try sanctuary.control.deleteMessage("mine")
            #expect(try await events.next() == .received(sent))
            let answer = try #require(try await events.next()?.received)
            #expect(answer.id.rawValue == other)
            #expect(try await events.next() == .deleted(MessageID("mine")))
            let all = try await port.messages(PageRequest(limit: 1000)).items
            #expect(all.contains(answer))
            #expect(all.map(\.sentAt) == all.map(\.sentAt).sorted())
            var walked: [Message] = []
            var page = try await port.messages(PageRequest(limit: 5))
            walked += page.items
            while let next = page.next {
                page = try await port.messages(PageRequest(cursor: next, limit: 5))
                walked += page.items
            }
            #expect(walked == all)
        }
    }

    @Test func `D23: the vendor's own list is in reverse, and its whole seconds are earlier`() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let listed = try await sanctuary.services.messages.messages(PageRequest(limit: 1000)).items
            let naive = await NaiveV1Messages.list()
            #expect(listed.count > 1)
            #expect(naive.map(\.id) == listed.reversed().map(\.id))
            let sent = try await sanctuary.services.messages.send(MessageDraft(text: "fed", key: "mine"))
            let newest = try #require(await NaiveV1Messages.list().first)
            #expect(newest.id == sent.id)
            #expect(newest.sentAt.millisecondsSince1970 % 1000 == 0)
            #expect(newest.sentAt <= sent.sentAt)
        }
    }

    @Test("D20: a message's id can be used once, and an empty text is refused")
    func refusedMessages() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let port = sanctuary.services.messages
            _ = try await port.send(MessageDraft(text: "fed", key: "mine"))
            let twice = await SanctuaryError.of { try await port.send(MessageDraft(text: "fed", key: "mine")) }
            #expect(twice?.code == .conflict)
            let empty = await SanctuaryError.of { try await port.send(MessageDraft(text: "", key: "other")) }
            #expect(empty?.code == .invalidRequest)
            #expect(empty?.subject == "text")
            #expect(sanctuary.control.calls(of: .sendMessage) == 2)
        }
    }

    @Test("a subscriber is notified when the user signs out")
    func signOutEndsMessages() async throws {
        try await OpenSanctuary.with { sanctuary in
            try await sanctuary.signIn()
            let events = Subscription(sanctuary.services.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 1)
            try await sanctuary.services.accounts.signOut()
            let error = await events.end()
            #expect(error?.code == .authenticationRequired)
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 0)
        }
    }
}
#endif
