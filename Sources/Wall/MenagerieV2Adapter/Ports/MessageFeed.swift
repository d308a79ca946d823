import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Fills one subscriber's stream from one of the vendor's, which begins with what was before, may tell a thing twice, and
/// loses the oldest when it is read too slowly.
struct MessageFeed: Sendable {
    let connection: Connection

    func run(into buffer: EventBuffer<SanctuaryDomain.MessageEvent>, isOpen: Latch) async throws {
        let events = try await connection.perform { [connection] in
            try await connection.askSignedIn { client, token in try await client.messageEvents(accessToken: token) }
        }
        isOpen.open()
        var last = events.sequence
        for try await event in events where event.sequence > last ?? .min {
            defer { last = event.sequence }
            if event.isReplay { continue }
            if let last, event.sequence > last + 1 {
                for message in try await missed(between: last, and: event.sequence) {
                    send(.received(message), to: buffer)
                }
            }
            switch event.change {
            case .message(let source):
                send(.received(try await connection.read(source, as: .messages, of: "message events")), to: buffer)
            case .deleted(let id):
                send(.deleted(MessageID(id)), to: buffer)
            }
        }
    }

    private func send(
        _ event: SanctuaryDomain.MessageEvent,
        to buffer: EventBuffer<SanctuaryDomain.MessageEvent>
    ) {
        buffer.send(
            event,
            overflow: { SanctuaryError(.truncated, "the subscriber is too far behind the conversation") }
        )
    }

    /// The messages that the vendor's stream has dropped, as its list has them. A deletion that was dropped cannot be
    /// found again, and is told as an issue.
    private func missed(between last: Int, and next: Int) async throws -> [SanctuaryDomain.Message] {
        let found = try await connection.perform { [connection] in
            var found: [MenagerieV2.Message] = []
            var cursor: VendorCursor?
            repeat {
                let asked = cursor
                let page = try await connection.askSignedIn { client, token in
                    try await client.messages(cursor: asked?.vendor, accessToken: token)
                }
                found += page.items.filter { $0.sequence > last && $0.sequence < next }
                cursor = try VendorCursor.next(after: page, asked: asked).map { try VendorCursor($0) }
            } while cursor != nil
            return found
        }
        let lost = next - last - 1 - found.count
        if lost > 0 {
            let issue = TranslationIssue(
                "events that the vendor dropped",
                at: "sequence",
                raw: "\(lost) between \(last) and \(next)",
                severity: .warning
            )
            connection.configuration.issues.report([issue], of: "message events")
        }
        return try await connection.read(found, as: .messages, of: "message events")
    }
}
