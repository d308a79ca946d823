#if Sandbox
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct MixedFleetMessagesTests {
    @Test(arguments: Phone.allCases)
    func `D21, D22, D23: what one phone sends arrives once on both, and a deletion wins`(phone: Phone) async throws {
        try await MixedFleet.with { fleet in
            let (mine, others) = (fleet[phone].messages, fleet[phone.other].messages)
            let subscribers = [Subscriber(mine.events()), Subscriber(others.events())]
            await fleet.control.waitForSubscribers(of: .messages, exactly: 2)
            let first = try await mine.send(MessageDraft(text: "first", key: "k-1"))
            let answer = try await others.send(MessageDraft(text: "answer", key: "k-2"))
            try fleet.control.deleteMessage(first.id.rawValue)
            let last = try await mine.send(MessageDraft(text: "last", key: "k-3"))
            for subscriber in subscribers {
                var delivered: [SanctuaryDomain.MessageEvent?] = []
                for _ in 1...4 { delivered.append(try await subscriber.next()) }
                #expect(delivered == [.received(first), .received(answer), .deleted(first.id), .received(last)])
            }
            for services in [fleet.old, fleet.new] {
                let listed = try await services.messages.messages(PageRequest(limit: 1000)).items
                #expect(Array(listed.suffix(2)) == [answer, last])
                #expect(listed.contains { $0.id == first.id } == false)
            }
        }
    }

    @Test func `D21: a message deleted under the old phone does not come back when the new one connects`() async throws
    {
        try await MixedFleet.with { fleet in
            let sent = try await fleet.old.messages.send(MessageDraft(text: "deleted", key: "k-1"))
            try fleet.control.deleteMessage(sent.id.rawValue)
            let client = try await fleet.sanctuary.openClient()
            let naive = try await NaiveFeed(client.messageEvents(accessToken: client.token()))
            let subscriber = Subscriber(fleet.new.messages.events())
            await fleet.control.waitForSubscribers(of: .messages, exactly: 2)
            let later = try await fleet.old.messages.send(MessageDraft(text: "later", key: "k-2"))
            #expect(try await subscriber.next() == .received(later))
            // The replay delivers it again, to a client that takes it for a new message.
            #expect(try await naive.texts(until: "later").contains("deleted"))
            await naive.end()
            await client.shutdown()
        }
    }
}
#endif
