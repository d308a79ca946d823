#if Server
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle

/// An address that is notified of each change of an upgrade, and of breakers. Its description does not contain the
/// secret.
public struct Webhook: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The address: "https://hooks.example.com/upgrades".
    let url: String
    let format: Format
    let secret: String

    /// What the receiver understands.
    public enum Format: String, Sendable, Hashable, CaseIterable, Codable {
        /// The whole entry as JSON, signed.
        case json
        /// A message for an incoming webhook of Slack or Mattermost: `{"text": …}`.
        case slack
        /// An Adaptive Card for a workflow of Microsoft Teams.
        case teams
        /// An event for version 2 of PagerDuty's Events API. It triggers an incident when V2 goes back, is stopped, or needs
        /// a person, and resolves that incident when the upgrade goes on.
        case pagerduty
    }

    /// - Parameter secret: for `json`, what signs each request: at least 16 bytes; for `pagerduty`, the integration's routing
    ///   key. The others need none: their address is the secret.
    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration`.
    public init(url: String, secret: String = "", format: Format = .json) throws(ControlPlaneError) {
        if format == .json || format == .pagerduty, secret.utf8.count < 16 {
            throw ControlPlaneError(.invalidConfiguration, "a webhook's secret must have at least 16 bytes")
        }
        do { _ = try HTTPRequest(.post, url: url) } catch {
            throw ControlPlaneError(.invalidConfiguration, "a webhook's address: \(error.message)")
        }
        (self.url, self.secret, self.format) = (url, secret, format)
    }

    /// Reads a file: `{"webhooks": [{"url": "https://…", "secret": "…", "format": "json"}]}`.
    ///
    /// - Throws: ``ControlPlaneError`` with `invalidConfiguration`.
    package static func all(inFile path: String) throws(ControlPlaneError) -> [Webhook] {
        struct File: Decodable {
            struct Entry: Decodable {
                var url: String
                var secret: String?
                var format: Format?
            }
            var webhooks: [Entry]
        }
        guard let data = FileManager.default.contents(atPath: path),
            let file = try? JSONDecoder().decode(File.self, from: data)
        else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "\(path) is not {\"webhooks\": [{\"url\", \"secret\", \"format\"}]}, or cannot be read"
            )
        }
        var webhooks: [Webhook] = []
        for entry in file.webhooks {
            webhooks.append(try Webhook(url: entry.url, secret: entry.secret ?? "", format: entry.format ?? .json))
        }
        return webhooks
    }

    /// The address: in full if it is no secret itself, otherwise its host only.
    public var description: String {
        guard format == .slack || format == .teams else { return url }
        let scheme = url.prefix { $0 != ":" }
        let host = url.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
        return "\(scheme)://\(host)/…"
    }

    /// Shows the address and hides the secret.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }

    /// The webhook's name in the database.
    var name: String { "webhook " + Digest.sha256(of: url) }

    /// "v1=" and the HMAC-SHA-256 of "TIMESTAMP.BODY", so that a request cannot be replayed much later.
    func signature(at seconds: Int64, _ body: [UInt8]) -> String {
        let message = Array("\(seconds).".utf8) + body
        return "v1=" + Digest.hexadecimal(Digest.hmacSHA256(of: message, key: Array(secret.utf8)))
    }
}

/// What webhooks are notified of, and where each of them stands.
protocol WebhookSource: Sendable {
    /// What the receiver has not received yet, oldest first.
    func news(for receiver: String, limit: Int) async throws -> [NumberedNews]
    func noteReceived(_ number: Int64, by receiver: String) async throws
    /// Lets another server send from now on.
    func endTurn() async throws
}

extension SQLiteUpgradeLog: WebhookSource {
    /// No other server sends what is in this one's database.
    func endTurn() {}
}

/// The entries that several servers share, of which one server at a time sends.
extension EtcdOutbox: WebhookSource {
    func news(for receiver: String, limit: Int) async throws -> [NumberedNews] {
        try await entries(limit: limit).map { NumberedNews(number: $0.revision, news: .entry($0.entry)) }
    }

    func noteReceived(_ number: Int64, by receiver: String) async throws { try await noteReceived(number) }
}

/// Notifies one webhook of each audit log entry and each breaker notice, in order and at least once. Its position is in the database,
/// and for the entries of several servers in etcd; it advances when the webhook answers with a status of 2xx. After each failure it
/// waits longer.
struct WebhookService: Service {
    var webhook: Webhook
    /// In the order in which they are read.
    let sources: [any WebhookSource]
    let client: CurlClient
    let logger: Logger
    let now: @Sendable () -> Int64
    let sleep: @Sendable (Duration) async throws -> Void
    /// Returns a number from 0 to 1.
    var random: @Sendable () -> Double = { .random(in: 0..<1) }

    /// How often the audit log is read.
    static let interval = Duration.seconds(1)
    static let backoff = Backoff(initial: .seconds(2), maximum: .seconds(600), jitter: 0.5)
    private static let batch = 100

    /// Ends at a graceful shutdown, after the entry that it is sending.
    func run() async {
        var failures = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                try await deliver()
                failures = 0
            } catch is CancellationError {
                break
            } catch {
                failures += 1
                logger.warning("a webhook failed \(failures) times: \("\(error)".plain())")
            }
            let wait = failures == 0 ? Self.interval : Self.backoff.wait(attempt: failures, random: random())
            do { try await cancelWhenGracefulShutdown { try await sleep(wait) } } catch { break }
        }
        for source in sources {
            do { try await source.endTurn() } catch {
                logger.warning("a webhook's turn ends with its lease: \("\(error)".plain())")
            }
        }
    }

    /// Posts the entries and notices that the webhook has not acknowledged yet.
    func deliver() async throws { for source in sources { try await deliver(from: source) } }

    private func deliver(from source: any WebhookSource) async throws {
        while true {
            let news = try await source.news(for: webhook.name, limit: Self.batch)
            guard !news.isEmpty else { return }
            for numbered in news {
                switch numbered.news {
                case .entry(let entry):
                    try await post(WebhookEvent(HistoryLine(entry)), id: entry.id)
                case .breaker(let notice):
                    try await post(WebhookEvent(notice), id: notice.id)
                }
                try await source.noteReceived(numbered.number, by: webhook.name)
                if Task.isShuttingDownGracefully { return }
            }
        }
    }

    private func post(_ event: WebhookEvent, id: String) async throws {
        if let body = try event.body(for: webhook) {
            try await webhook.post(body, id: id, by: client, at: now() / 1_000)
        }
    }
}

extension Webhook {
    /// - Parameter seconds: since 1970.
    /// - Throws: `UpgradeStoreError` for an answer other than 2xx; `CurlError`.
    fileprivate func post(_ body: [UInt8], id: String, by client: CurlClient, at seconds: Int64) async throws {
        var fields: HTTPFields = [.contentType: "application/json"]
        let signed = [
            ("Cofferdam-Id", id), ("Cofferdam-Timestamp", "\(seconds)"),
            ("Cofferdam-Signature", signature(at: seconds, body)),
        ]
        for (name, value) in format == .json ? signed : [] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let options = client.options.with {
            $0.timeouts.whole = .seconds(10)
            $0.maximumBodySize = 1 << 16
        }
        let request = try HTTPRequest(.post, url: url, headerFields: fields)
        let reply = try await client.send(request, body: .bytes(body), options: options)
        guard reply.head.status.kind == .successful else {
            throw UpgradeStoreError(.unavailable, "the answer is \(reply.head.status.code)", subject: description)
        }
    }

    /// Sends a message that says that it is a test. At PagerDuty it begins an incident and ends it.
    ///
    /// - Throws: `UpgradeStoreError` for an answer other than 2xx; `CurlError`.
    package func test() async throws {
        let (client, event, id) = (CurlClient(), WebhookEvent.test, UpgradeEngine.randomID())
        for isTrouble in format == .pagerduty ? [true, false] : [true] {
            guard let body = try event.body(for: self, isTrouble: isTrouble) else { continue }
            try await post(body, id: id, by: client, at: WallTime.now() / 1_000)
        }
    }
}
#endif
