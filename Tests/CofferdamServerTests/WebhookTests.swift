#if Server
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import CofferdamUpgrade
import Foundation
import Logging
import ServiceLifecycle
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("Webhooks") struct WebhookTests {
    private static let secret = "0123456789abcdef"

    /// A request that a receiver got.
    private struct Post: Sendable {
        var head: String
        var body: String

        init(_ request: String) {
            let end = request.firstRange(of: "\r\n\r\n")
            head = String(request[..<(end?.lowerBound ?? request.endIndex)])
            body = end.map { String(request[$0.upperBound...]) } ?? ""
        }

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }

        private struct Event: Decodable {
            struct Entry: Decodable { var action: String }
            var entry: Entry?
            var breaker: BreakerNotice?
        }

        private var event: Event? { try? JSONDecoder().decode(Event.self, from: Data(body.utf8)) }
        var action: String? { event?.entry?.action }
        var breaker: BreakerNotice? { event?.breaker }
    }

    /// A receiver that answers with these statuses in turn, and then with 200.
    private final class Receiver: Sendable {
        let server: LoopbackServer
        private let posts = Mutex<[Post]>([])

        init(_ statuses: [Int] = []) throws {
            server = try LoopbackServer()
            server.answers { [weak self] request in
                let number = self?.posts.withLock { posts in
                    posts.append(Post(request))
                    return posts.count - 1
                }
                return (number.flatMap { statuses.indices.contains($0) ? statuses[$0] : nil } ?? 200, "")
            }
        }

        var received: [Post] { posts.withLock { $0 } }
        var webhook: Webhook {
            get throws { try Webhook(url: "http://\(server.address)/hook", secret: WebhookTests.secret) }
        }
    }

    private static func service(
        _ receiver: Receiver,
        _ server: TestServer,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) throws -> WebhookService {
        WebhookService(
            webhook: try receiver.webhook,
            sources: [try server.plane.parts.log],
            client: server.client,
            logger: Logger(label: "test") { _ in server.log.handler },
            now: { 1_800_000_000_000 },
            sleep: sleep,
            random: { 0 }
        )
    }

    /// Case 2 of RFC 4231, and case 6, whose key is longer than a block.
    @Test func `the signature is an HMAC-SHA-256`() {
        #expect(
            Digest.hexadecimal(
                Digest.hmacSHA256(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
            ) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        #expect(
            Digest.hexadecimal(
                Digest.hmacSHA256(
                    of: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                    key: [UInt8](repeating: 0xaa, count: 131)
                )
            ) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test func `each entry arrives in order, signed, and is repeated until it is acknowledged`() async throws {
        try await TestServer.with { server in
            let receiver = try Receiver([500])
            let service = try Self.service(receiver, server)
            try await server.order("kill", #""reason": "before", "target": "freeze""#)
            try await service.deliver()
            #expect(receiver.received.isEmpty, "it receives what happens from its first day on")
            try await server.order("resume")
            try await server.order("advance")
            await #expect(throws: UpgradeStoreError.self) { try await service.deliver() }
            // Another process goes on.
            try await Self.service(receiver, server).deliver()
            try await service.deliver()
            let posts = receiver.received
            #expect(posts.map(\.action) == ["resume", "resume", "advance"])
            #expect(posts[0].header("Cofferdam-Id") == posts[1].header("Cofferdam-Id"))
            #expect(posts[1].header("Cofferdam-Id") != posts[2].header("Cofferdam-Id"))
            for post in posts {
                #expect(post.header("Cofferdam-Timestamp") == "1800000000")
                let message = Array("1800000000.\(post.body)".utf8)
                let code = Digest.hmacSHA256(of: message, key: Array(Self.secret.utf8))
                #expect(post.header("Cofferdam-Signature") == "v1=" + Digest.hexadecimal(code))
            }
        }
    }

    @Test func `breakers of thousands of devices are two notices, in order with the entries`() async throws {
        try await TestServer.with({ $0.breakerAlarm = 300 }) { server in
            let receiver = try Receiver([200, 500])
            let service = try Self.service(receiver, server)
            try await service.deliver()
            try await server.order("advance")
            func open(_ devices: Range<Int>) async throws {
                for device in devices {
                    try await server.report([
                        Reports.breakers(
                            .shadow(sample: .all),
                            epoch: 1,
                            device: device,
                            [Reports.breaker(1, open: true)]
                        )
                    ])
                }
            }
            try await open(0..<299)
            await #expect(throws: UpgradeStoreError.self) { try await service.deliver() }
            try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
            // Another process goes on.
            await server.stop()
            try await server.start()
            try await open(0..<400)
            try await Self.service(receiver, server).deliver()
            let posts = receiver.received
            #expect(
                posts.map { $0.action ?? $0.breaker?.kind.rawValue }
                    == ["advance", "opened", "opened", "kill", "spread"]
            )
            #expect(posts[1].header("Cofferdam-Id") == posts[2].header("Cofferdam-Id"))
            #expect(posts[2].header("Cofferdam-Id") != posts[4].header("Cofferdam-Id"))
            let spread = try #require(posts[4].breaker)
            #expect(spread.operation == "place" && spread.side == .candidate && spread.epoch == 1)
            #expect(spread.open == 300)
            #expect(posts[2].breaker?.open == 1)
            #expect(posts[2].breaker?.deviceTime == "2027-01-15T08:00:00Z")
        }
    }

    @Test func `each format is what its receiver understands, and says the same sentence`() async throws {
        try await TestServer.with { server in
            for format in Webhook.Format.allCases {
                let receiver = try Receiver()
                var service = try Self.service(receiver, server)
                let key = format == .pagerduty ? "routing-key-of-the-team" : Self.secret
                service.webhook = try Webhook(url: receiver.webhook.url, secret: key, format: format)
                try await service.deliver()
                try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
                try await server.order("override", #""reason": "a test", "operation": "place", "stage": "legacyOnly""#)
                try await server.order("resume")
                try await service.deliver()
                let bodies = receiver.received.map(\.body)
                #expect(bodies.first?.contains("orders: all users to V1, by operator") == true, "\(format): \(bodies)")
                #expect(bodies.first?.contains("Reason: orders fail") == true)
                #expect(receiver.received.allSatisfy { ($0.header("Cofferdam-Signature") != nil) == (format == .json) })
                switch format {
                case .json: #expect(bodies.count == 3)
                case .slack: #expect(bodies.count == 3 && bodies[0].hasPrefix(#"{"text":"orders: "#))
                case .teams:
                    #expect(
                        bodies.count == 3
                            && bodies[0].contains(#""contentType":"application/vnd.microsoft.card.adaptive""#)
                    )
                case .pagerduty:
                    try #require(bodies.count == 2, "an override pages no person: \(bodies)")
                    for (body, action) in zip(bodies, ["trigger", "resolve"]) {
                        #expect(
                            body.contains(#""event_action":"\#(action)""#) && body.contains(#""routing_key":"\#(key)""#)
                        )
                        #expect(body.contains(#""dedup_key":"cofferdam-orders""#))
                    }
                }
            }
        }
    }

    @Test func `what stops V2 or needs a person begins an incident, and what goes on ends it`() async throws {
        let events = [
            "kill": "trigger", "retreat": "trigger", "ask": "trigger", "resume": "resolve", "advance": "resolve",
            "promote": "resolve",
        ]
        let others = ["rollback", "abort", "override", "allow", "disallow", "measure", "recount", "replan"]
        let webhook = try Webhook(url: "https://a.example/", secret: Self.secret, format: .pagerduty)
        try await TestServer.with { server in
            try await server.order("advance")
            var line = try #require(try await server.status().last)
            for action in events.keys.sorted() + others {
                line.action = action
                let body = try WebhookEvent(line).body(for: webhook).map { String(decoding: $0, as: UTF8.self) }
                #expect((body == nil) == (events[action] == nil), "\(action)")
                guard let body, let event = events[action] else { continue }
                #expect(body.contains(#""event_action":"\#(event)""#), "\(action): \(body)")
            }
        }
    }

    private static func notice(_ id: String = "1") -> BreakerNotice {
        BreakerNotice(
            id: id,
            capability: "orders",
            kind: .opened,
            operation: "place",
            side: .candidate,
            epoch: 1,
            at: "",
            deviceTime: "",
            open: 1
        )
    }

    /// Has two notices, and shuts the server down when it is asked for them.
    private final class StoppingSource: WebhookSource {
        let group = Mutex<ServiceGroup?>(nil)
        let calls = Mutex<[String]>([])

        func news(for receiver: String, limit: Int) async throws -> [NumberedNews] {
            // Runs dry, so that a service that does not stop fails the test.
            guard calls.withLock(\.isEmpty) else { return [] }
            await group.withLock(\.self)?.triggerGracefulShutdown()
            return [1, 2].map { NumberedNews(number: $0, news: .breaker(WebhookTests.notice("\($0)"))) }
        }

        func noteReceived(_ number: Int64, by receiver: String) { calls.withLock { $0.append("noted \(number)") } }
        func endTurn() { calls.withLock { $0.append("ended") } }
    }

    @Test func `a server that stops finishes what it sends, and ends its turn`() async throws {
        let (receiver, source) = (try Receiver(), StoppingSource())
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = WebhookService(
            webhook: try receiver.webhook,
            sources: [source],
            client: CurlClient(),
            logger: logger,
            now: { 1_800_000_000_000 },
            sleep: { _ in throw TestError("nothing is sent after the stop") }
        )
        let group = ServiceGroup(services: [service], logger: logger)
        source.group.withLock { $0 = group }
        try await group.run()
        #expect(receiver.received.map { $0.header("Cofferdam-Id") } == ["1"])
        #expect(source.calls.withLock(\.self) == ["noted 1", "ended"])
    }

    @Test func `a breaker that opens begins an incident`() throws {
        let webhook = try Webhook(url: "https://a.example/", secret: Self.secret, format: .pagerduty)
        let body = try #require(try WebhookEvent(Self.notice()).body(for: webhook))
        #expect(String(decoding: body, as: UTF8.self).contains(#""event_action":"trigger""#))
    }

    @Test func `after a failure it waits, longer each time`() async throws {
        try await TestServer.with { server in
            let receiver = try Receiver([503, 302, 404])
            let waits = Mutex<[Duration]>([])
            let service = try Self.service(receiver, server) { wait in
                let count = waits.withLock { waits in
                    waits.append(wait)
                    return waits.count
                }
                if count == 4 { throw CancellationError() }
            }
            try await service.deliver()
            try await server.order("advance")
            await service.run()
            let expected = (1...3).map { WebhookService.backoff.wait(attempt: $0, random: 0) }
            #expect(waits.withLock { $0 } == expected + [WebhookService.interval])
            #expect(expected[0] < expected[1] && expected[1] < expected[2])
            #expect(receiver.received.map(\.action) == Array(repeating: "advance", count: 4))
            #expect(!server.log.text.contains(Self.secret))
        }
    }

    @Test func `a server notifies its webhooks, also after a restart`() async throws {
        let (arrivals, pen) = AsyncStream.makeStream(of: Post.self)
        let receiver = try LoopbackServer()
        receiver.answers { request in
            pen.yield(Post(request))
            return (200, "")
        }
        let webhook = try Webhook(url: "http://\(receiver.address)/hook", secret: Self.secret)
        try await TestServer.with({ $0.webhooks = [webhook] }) { server in
            try await server.order("advance")
            await server.stop()
            try await server.start()
            for await post in arrivals {
                #expect(post.action == "advance")
                break
            }
        }
    }

    @Test func `a test reaches each webhook as what it is, and a refusal is an exit code`() async throws {
        let (paged, refusing) = (try Receiver(), try Receiver([500, 500, 500]))
        func entry(_ receiver: Receiver, _ format: Webhook.Format) throws -> String {
            let url = "http://\(receiver.server.address)/hook"
            return #"{"url": "\#(url)", "secret": "\#(Self.secret)", "format": "\#(format.rawValue)"}"#
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID()).json").path
        defer { removeFolder(path) }
        func test(_ entries: String...) async throws -> (isSuccess: Bool, output: String, error: String) {
            let text = #"{"webhooks": [\#(entries.joined(separator: ", "))]}"#
            try Data(text.utf8).write(to: URL(filePath: path))
            return try await ServerProgram.run("webhook", "test", "--webhooks", path)
        }
        let good = try await test(entry(paged, .pagerduty), entry(paged, .slack))
        #expect(good.isSuccess && good.output.contains(": sent"), "\(good)")
        let bodies = paged.received.map(\.body)
        try #require(bodies.count == 3)
        #expect(bodies[0].contains("trigger") && bodies[1].contains("resolve"))
        #expect(bodies.allSatisfy { $0.contains("This is a test of the webhook") })
        let bad = try await test(entry(refusing, .json), entry(paged, .teams))
        #expect(!bad.isSuccess && bad.output.contains("the answer is 500") && paged.received.count == 4, "\(bad)")
        #expect(!(bad.output + bad.error).contains(Self.secret))
    }

    @Test func `a mistake is refused, and no text contains a secret`() throws {
        #expect(throws: ControlPlaneError.self) { try Webhook(url: "https://a.example/", secret: "short") }
        #expect(throws: ControlPlaneError.self) { try Webhook(url: "https://a.example/", format: .pagerduty) }
        let slack = try Webhook(url: "https://hooks.example/services/T0/B0/secret", format: .slack)
        #expect("\(slack)" == "https://hooks.example/…")
        #expect(throws: ControlPlaneError.self) { try Webhook(url: "ftp://a.example/", secret: Self.secret) }
        #expect(throws: ControlPlaneError.self) { try Webhook.all(inFile: "/nonexistent/webhooks.json") }
        let webhook = try Webhook(url: "https://a.example/", secret: Self.secret)
        var dumped = ""
        dump(webhook, to: &dumped)
        for text in ["\(webhook)", dumped] { #expect(!text.contains(Self.secret)) }
        let path = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID()).json").path
        defer { removeFolder(path) }
        let text = #"{"webhooks": [{"url": "https://a.example/", "secret": "\#(Self.secret)"}]}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(try Webhook.all(inFile: path) == [webhook])
    }
}
#endif
