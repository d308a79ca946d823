#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// What a webhook is told: an entry of the audit log, or that breakers of devices opened.
struct WebhookEvent: Encodable {
    var capability: String
    var entry: HistoryLine?
    var breaker: BreakerNotice?
    /// The event in one line, for people.
    var text: String

    init(_ entry: HistoryLine) {
        (capability, self.entry) = (entry.capability, entry)
        text = "\(entry.sentence). Reason: \(entry.reason)"
    }

    init(_ breaker: BreakerNotice) {
        (capability, self.breaker) = (breaker.capability, breaker)
        let devices = breaker.open == 1 ? "1 device has" : "\(breaker.open.grouped) devices have"
        let there = breaker.side == .candidate ? "from V2 to V1" : "from V1 to V2"
        text = "\(breaker.capability): \(devices) switched `\(breaker.operation)` \(there), because it fails"
    }

    /// What a person sends to try a webhook.
    static let test = WebhookEvent(
        capability: "test",
        text: "This is a test of the webhook, sent by a person. No upgrade has changed."
    )

    private init(capability: String, text: String) { (self.capability, self.text) = (capability, text) }

    /// Whether it begins trouble, or ends it; nil if neither.
    private var isTrouble: Bool? {
        guard let entry else { return true }
        switch entry.action {
        case "kill", "retreat", "ask": return true
        case "resume", "advance", "promote": return false
        default: return nil
        }
    }

    /// Returns what to send; nil if the webhook need not be told.
    ///
    /// - Parameter isTrouble: nil for what the event says.
    /// - Throws: `EncodingError`.
    func body(for webhook: Webhook, isTrouble: Bool? = nil) throws -> [UInt8]? {
        switch webhook.format {
        case .json: try ServerJSON.bytes(self)
        case .slack: try ServerJSON.bytes(Message(text: text))
        case .teams: try ServerJSON.bytes(Card(text))
        case .pagerduty:
            try (isTrouble ?? self.isTrouble).map {
                try ServerJSON.bytes(Alert(self, isTrouble: $0, key: webhook.secret))
            }
        }
    }

    /// https://api.slack.com/messaging/webhooks
    private struct Message: Encodable { var text: String }

    /// https://learn.microsoft.com/power-automate/teams/send-a-message-in-teams, an Adaptive Card in an attachment.
    private struct Card: Encodable {
        struct Attachment: Encodable {
            var contentType = "application/vnd.microsoft.card.adaptive"
            var content: Content
        }
        struct Content: Encodable {
            var type = "AdaptiveCard"
            var version = "1.4"
            var body: [TextBlock]
        }
        struct TextBlock: Encodable {
            var type = "TextBlock"
            var text: String
            var wrap = true
        }
        var type = "message"
        var attachments: [Attachment]

        init(_ text: String) { attachments = [Attachment(content: Content(body: [TextBlock(text: text)]))] }
    }

    /// https://developer.pagerduty.com/docs/events-api-v2/trigger-events
    private struct Alert: Encodable {
        struct Payload: Encodable {
            var summary: String
            var source: String
            var severity: String
        }
        var routingKey: String
        var eventAction: String
        var dedupKey: String
        var payload: Payload

        private enum CodingKeys: String, CodingKey {
            case routingKey = "routing_key"
            case eventAction = "event_action"
            case dedupKey = "dedup_key"
            case payload
        }

        init(_ event: WebhookEvent, isTrouble: Bool, key: String) {
            (routingKey, eventAction) = (key, isTrouble ? "trigger" : "resolve")
            dedupKey = "cofferdam-\(event.capability)"
            // A summary has at most 1,024 characters.
            let summary = String(event.text.prefix(1_024))
            payload = Payload(summary: summary, source: "cofferdam-server", severity: "critical")
        }
    }
}
#endif
