#if Sandbox
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

@Suite(.timeLimit(.minutes(5))) struct StreamsEndToEndTests {
    @Test("D23: the conversation, oldest first, with moments to the millisecond")
    func messages() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let sent = try await sanctuary.messages.send(MessageDraft(text: "The hydra is fed.", key: "local-1"))
            let page = try await sanctuary.messages.messages(PageRequest())
            #expect(page.items.count == 13)
            #expect(page.items.last == sent)
            #expect(page.items.map(\.sentAt) == page.items.map(\.sentAt).sorted())
            let naive = try await NaiveConversation.read(at: sanctuary.url, in: sanctuary.directory + "/naive")
            #expect(naive.count == 13 && naive != naive.sorted(), "the naive handling is to be refused")
            await expect(.invalidRequest) { try await sanctuary.messages.send(.init(text: "", key: "x")) }
        }
    }

    @Test("D21, STRM-01: a new subscriber receives nothing from before, and then each event once, in order")
    func messageEvents() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let first = Subscriber(sanctuary.messages.events())
            let second = Subscriber(sanctuary.messages.events())
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 2)
            // More than the vendor's stream buffers: dropped events are fetched.
            var posted: [String] = []
            for index in 0..<200 {
                posted.append(try sanctuary.control.postMessage(author: "noor", text: "\(index)"))
            }
            try sanctuary.control.deleteMessage(posted[199])
            let expected = posted.map(MessageID.init(_:))
            var delivered: [[MessageID]] = [[], []]
            for _ in 0..<199 {
                if case .received(let message) = try await first.next() { delivered[0].append(message.id) }
                if case .received(let message) = try await second.next() { delivered[1].append(message.id) }
            }
            #expect(delivered[0] == Array(expected.dropLast()))
            #expect(delivered[1] == Array(expected.dropLast()))
        }
    }

    @Test("ERR-01: a page in place of a stream is not a stream that has ended early")
    func pageInPlaceOfStream() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            sanctuary.control.inject(.html, on: .accessoryEvents)
            let accessories = Subscriber(sanctuary.accessories.events())
            await expect(.decoding) { _ = try await accessories.next() }
            sanctuary.control.inject(.html, on: .messageEvents)
            let messages = Subscriber(sanctuary.messages.events())
            await expect(.decoding) { _ = try await messages.next() }
        }
    }

    @Test("D21: a message of one's own, sent after the stream was asked for, is heard; and a deletion")
    func ownMessages() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            for index in 0..<5 {
                // A stream that the vendor is slow to open.
                sanctuary.control.inject(.delay(.milliseconds(50)), on: .messageEvents)
                let events = Subscriber(sanctuary.messages.events())
                let sent = try await sanctuary.messages.send(MessageDraft(text: "\(index)", key: "k-\(index)"))
                _ = try sanctuary.control.postMessage(author: "noor", text: "after")
                let delivered = try await events.next()
                try #require(delivered == .received(sent))
                _ = try await events.next()
                try sanctuary.control.deleteMessage(sent.id.rawValue)
                #expect(try await events.next() == .deleted(sent.id))
            }
        }
    }

    @Test("STRM-04: the vendor's stream is released when the subscriber is cancelled or drops it")
    func released() async throws {
        try await OpenedSanctuary.with(signedIn: true) { sanctuary in
            let cancelled = Task { [messages = sanctuary.messages] in for try await _ in messages.events() {} }
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 1)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            await sanctuary.control.waitForSubscribers(of: .messages, exactly: 0)
            for try await _ in sanctuary.accessories.events() {
                #expect(sanctuary.control.subscribers(of: .accessories) == 1)
                break
            }
            await sanctuary.control.waitForSubscribers(of: .accessories, exactly: 0)
        }
    }

    @Test("D10: every subscriber sees the current state first, then every change")
    func accessoryEvents() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let first = Subscriber(sanctuary.accessories.events())
            let second = Subscriber(sanctuary.accessories.events())
            let listed = try await sanctuary.accessories.accessories()
            #expect(try await first.next() == .current(listed))
            #expect(try await second.next() == .current(listed))
            try sanctuary.control.updateAccessory("feeder-1", battery: 3)
            try sanctuary.control.removeAccessory("scale-1")
            for _ in 0..<1 {
                guard case .changed(let feeder) = try await first.next() else {
                    Issue.record("no change was delivered")
                    return
                }
                #expect(feeder.battery?.percent == 3)
                #expect(try await first.next() == .removed(AccessoryID("scale-1")))
                #expect(try await second.next() == .changed(feeder))
                #expect(try await second.next() == .removed(AccessoryID("scale-1")))
            }
        }
    }

    @Test("D10: after a burst of 1,000 changes the subscriber knows what is, changes or not")
    func burst() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let events = Subscriber(sanctuary.accessories.events())
            _ = try await events.next()
            // The vendor's stream drops the first of these changes; only listing them again reveals it.
            try sanctuary.control.updateAccessory("camera-1", battery: 77)
            try sanctuary.control.burst("feeder-1", count: 1000)
            try sanctuary.control.updateAccessory("scale-1", battery: 42)
            var known: [AccessoryID: SanctuaryDomain.Accessory] = [:]
            var batteries: [Int] = []
            while known[AccessoryID("scale-1")]?.battery?.percent != 42 {
                switch try await events.next() {
                case .current(let all): known = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
                case .changed(let accessory):
                    known[accessory.id] = accessory
                    if let percent = accessory.battery?.percent, accessory.id.rawValue == "feeder-1" {
                        batteries.append(percent)
                    }
                default: break
                }
            }
            #expect(known[AccessoryID("feeder-1")]?.battery?.percent == 999 % 101)
            #expect(known[AccessoryID("camera-1")]?.battery?.percent == 77)
            #expect(batteries.count <= 1000)
        }
    }

    @Test(
        "D11: connecting makes active, and the one before stays linked",
        arguments: ["feeder-1", "camera-1", "scale-1"]
    )
    func activate(id: String) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.accessories.activate(AccessoryID(id))
            let accessories = try await sanctuary.accessories.accessories()
            #expect(accessories.filter { $0.link == .active }.map(\.id.rawValue) == [id])
            #expect(accessories.first { $0.id.rawValue == "collar-1" }?.link == .linked)
        }
    }

    @Test("D12: connecting twice, and after the link was lost, changes nothing and works")
    func twice() async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.accessories.activate(AccessoryID("camera-1"))
            try await sanctuary.accessories.activate(AccessoryID("camera-1"))
            #expect(sanctuary.control.calls(of: .activateAccessory) == 1)
            try sanctuary.control.updateAccessory("camera-1", state: .reconnecting)
            try await sanctuary.accessories.activate(AccessoryID("camera-1"))
            let accessories = try await sanctuary.accessories.accessories()
            #expect(accessories.filter { $0.link == .active }.map(\.id.rawValue) == ["camera-1"])
        }
    }

    @Test("D11: however many connect at once, exactly one is active in the end")
    func parallel() async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    let id = ["collar-1", "feeder-1", "camera-1", "scale-1"][index % 4]
                    group.addTask { try await sanctuary.accessories.activate(AccessoryID(id)) }
                }
                try await group.waitForAll()
            }
            let accessories = try await sanctuary.accessories.accessories()
            #expect(accessories.count { $0.link == .active } == 1)
        }
    }

    @Test("Releasing unlinks, twice too; what is not there is notFound")
    func release() async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await sanctuary.accessories.release(AccessoryID("collar-1"))
            try await sanctuary.accessories.release(AccessoryID("collar-1"))
            #expect(
                try await sanctuary.accessories.accessories().first { $0.id.rawValue == "collar-1" }?.link == .available
            )
            await expect(.notFound) { try await sanctuary.accessories.release(AccessoryID("none")) }
            await expect(.notFound) { try await sanctuary.accessories.activate(AccessoryID("none")) }
        }
    }
}

/// Reversed, as V1's list had to be.
private enum NaiveConversation {
    static func read(at url: String, in directory: String) async throws -> [Instant] {
        let client = MenagerieClient(options: .init(serviceURL: url, apiKey: "naive", directory: directory))
        try await client.configure()
        let grant = try await client.authenticate(user: "amara", password: "sandbox")
        let page = try await client.messages(accessToken: grant.accessToken)
        await client.shutdown()
        return page.items.reversed().compactMap { Instant(rfc3339: $0.sentAt) }
    }
}
#endif
