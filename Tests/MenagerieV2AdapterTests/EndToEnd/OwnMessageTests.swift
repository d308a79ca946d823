#if Sandbox
import Cofferdam
import MenagerieService
import MenagerieV1Adapter
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(5))) struct OwnMessageTests {
    private static let draft = MessageDraft(text: "fed", key: "k-1")

    @Test(arguments: [true, false])
    func `D22: the user's own message is delivered once, whether the answer or the broadcast comes first`(
        answerFirst: Bool
    ) async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let client = try await sanctuary.openClient()
            let naive = try await NaiveFeed(client.messageEvents(accessToken: client.token()))
            let subscriber = Subscriber(sanctuary.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 2)
            if answerFirst {
                sanctuary.control.holdBroadcasts(true)
                let sent = try await sanctuary.messages.send(Self.draft)
                sanctuary.control.holdBroadcasts(false)
                #expect(try await subscriber.next() == .received(sent))
            } else {
                sanctuary.control.holdAnswersToSenders(true)
                async let answer = sanctuary.messages.send(Self.draft)
                let delivered = try await subscriber.next()
                sanctuary.control.holdAnswersToSenders(false)
                let sent = try await answer
                #expect(delivered == .received(sent))
            }
            let later = try sanctuary.control.postMessage(author: "noor", text: "later")
            guard case .received(let next)? = try await subscriber.next() else {
                throw SanctuaryError(.unknown, "none")
            }
            #expect(next.id.rawValue == later)
            // The same message, on a screen that shows every message event.
            _ = try await client.sendMessage(text: "naive", localID: "k-2", accessToken: client.token())
            #expect(try await naive.count(of: "naive", until: "k-2") == 2)
            await client.shutdown()
        }
    }

    @Test
    func `D21 with D22: a new subscriber does not hear of a message that is still waiting for its answer`() async throws
    {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.holdAnswersToSenders(true)
            async let answer = sanctuary.messages.send(Self.draft)
            await sanctuary.control.waitForMessages(of: "amara", text: "fed")
            let subscriber = Subscriber(sanctuary.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 1)
            sanctuary.control.holdAnswersToSenders(false)
            let sent = try await answer
            let later = try sanctuary.control.postMessage(author: "noor", text: "later")
            guard case .received(let next)? = try await subscriber.next() else {
                throw SanctuaryError(.unknown, "none")
            }
            #expect(next.id.rawValue == later)
            let all = try await sanctuary.messages.messages(PageRequest()).items
            #expect(all.filter { $0.text == "fed" } == [sent])
        }
    }

    @Test
    func `D21: connected three times, each message is heard once, and a deletion wins over the replay`() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let client = try await sanctuary.openClient()
            var (delivered, naive): ([String], [String]) = ([], [])
            for round in 1...3 {
                let subscriber = Subscriber(sanctuary.messages.events())
                let replaying = try await NaiveFeed(client.messageEvents(accessToken: client.token()))
                await sanctuary.control.waitForSubscribers(of: .messages, exactly: 2)
                let id = try sanctuary.control.postMessage(author: "noor", text: "round \(round)")
                guard case .received(let message)? = try await subscriber.next() else { break }
                delivered.append(message.text)
                naive += try await replaying.texts(until: "round \(round)")
                if round == 1 { try sanctuary.control.deleteMessage(id) }
                await replaying.end()
                _ = consume subscriber
                await sanctuary.control.waitForSubscribers(of: .messages, exactly: 0)
            }
            #expect(delivered == ["round 1", "round 2", "round 3"])
            // Replayed each time, including the deleted one.
            #expect(naive.count { $0 == "round 1" } == 3)
            await client.shutdown()
        }
    }

    @Test
    func `D22: with a sender's clock ten minutes slow, V2 lists and delivers by arrival`() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let subscriber = Subscriber(sanctuary.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 1)
            let first = try await sanctuary.messages.send(MessageDraft(text: "first", key: "k-1"))
            let now = first.sentAt.millisecondsSince1970 - 600_000
            let slow = try await menagerieV1Turnstile.run {
                let old = try await openMenagerieV1(
                    MenagerieV1Configuration(
                        serviceURL: sanctuary.url,
                        key: "k",
                        directory: sanctuary.directory + "/slow",
                        issues: IssueSink { _, _ in },
                        now: { Instant(millisecondsSince1970: now) }
                    )
                )
                _ = try await old.accounts.signIn(Credentials(user: "noor", password: "sandbox"))
                let slow = try await old.messages.send(MessageDraft(text: "second", key: "k-2"))
                let byClock = try await old.messages.messages(PageRequest()).items.suffix(2).map(\.text)
                #expect(byClock == ["second", "first"])
                await old.close()
                return slow
            }
            #expect(slow.sentAt < first.sentAt)
            let listed = try await sanctuary.messages.messages(PageRequest()).items.suffix(2)
            #expect(Array(listed) == [first, slow])
            #expect(try await [subscriber.next(), subscriber.next()] == [.received(first), .received(slow)])
        }
    }

    @Test
    func `D24: each kind of event of the port is heard, where an old handler compiles and is never called`()
        async throws
    {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let client = try await sanctuary.openClient()
            let handler = NaiveHandler()
            let listening = Task { try await client.listen(with: handler, accessToken: client.token()) }
            let subscriber = Subscriber(sanctuary.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 2)
            let id = try sanctuary.control.postMessage(author: "noor", text: "hello")
            try sanctuary.control.deleteMessage(id)
            guard case .received(let message)? = try await subscriber.next() else {
                throw SanctuaryError(.unknown, "none")
            }
            #expect(message.text == "hello")
            #expect(try await subscriber.next() == .deleted(MessageID(id)))
            await handler.deletion(of: id)
            #expect(handler.texts == [])
            listening.cancel()
            _ = await listening.result
            await client.shutdown()
        }
    }
}

/// Shows every message event as a new message.
actor NaiveFeed {
    private var iterator: MenagerieV2.EventStream<MenagerieV2.MessageEvent>.Iterator?

    init(_ events: MenagerieV2.EventStream<MenagerieV2.MessageEvent>) { iterator = events.makeAsyncIterator() }

    /// Returns the messages up to the one with that text.
    func texts(until last: String) async throws -> [String] {
        var texts: [String] = []
        while let event = try await next() {
            guard case .message(let message) = event.change else { continue }
            texts.append(message.text)
            if message.text == last { break }
        }
        return texts
    }

    /// Returns how often a text is shown until both the answer and the broadcast have arrived.
    func count(of text: String, until localID: String) async throws -> Int {
        var (count, outstanding) = (0, 3)
        while outstanding > 0, let event = try await next() {
            switch event.change {
            case .message(let message) where message.localId == localID:
                count += message.text == text ? 1 : 0
                outstanding -= 1
            case .acknowledged(_, let message) where message.localId == localID: outstanding -= 1
            default: continue
            }
        }
        return count
    }

    func end() { iterator = nil }

    private func next() async throws -> MenagerieV2.MessageEvent? {
        var iterator = self.iterator
        defer { self.iterator = iterator }
        return try await iterator?.next()
    }
}

/// A handler carried over from V1.
private final class NaiveHandler: MenagerieMessagesDelegate {
    private let received = Mutex<[String]>([])
    private let deletions = AsyncStream.makeStream(of: String.self)

    var texts: [String] { received.withLock { $0 } }

    func didReceive(_ message: MenagerieV2.Message) { received.withLock { $0.append(message.text) } }

    func didDelete(_ messageID: String, in conversation: String) { deletions.continuation.yield(messageID) }

    func deletion(of id: String) async { _ = await deletions.stream.first { $0 == id } }
}

extension OpenedSanctuary {
    /// Opens the SDK itself, with this sanctuary's session.
    func openClient() async throws -> MenagerieClient {
        let client = MenagerieClient(
            options: .init(serviceURL: url, apiKey: "naive", directory: directory, lifecycleTelemetry: false)
        )
        try await client.configure()
        return client
    }
}

extension MenagerieClient {
    func token() throws -> String {
        guard let session else { throw MenagerieError.notSignedIn }
        return session.accessToken
    }
}
#endif
