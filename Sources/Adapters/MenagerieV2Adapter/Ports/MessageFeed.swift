#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// Fills one subscriber's stream from one of the vendor's, which begins with earlier events, may repeat an event, and
/// drops the oldest when it is read too slowly. Messages sent by this device also arrive as an echo under a temporary
/// id, which is left out: the server sends them under their own id, before or after its answer to the sender.
struct MessageFeed: Sendable {
    /// Returns the messages with a sequence between these two that still exist.
    let missed: @Sendable (_ after: Int, _ before: Int) async throws -> [SanctuaryDomain.Message]
    let read: @Sendable (MenagerieV2.Message) async throws -> SanctuaryDomain.Message

    /// - Parameter last: the last event before the subscription; nil if the vendor did not report it.
    func run<Events: AsyncSequence & Sendable>(
        _ events: Events,
        after last: Int?,
        into buffer: EventBuffer<SanctuaryDomain.MessageEvent>
    ) async throws where Events.Element == MenagerieV2.MessageEvent {
        var last = last
        for try await event in events where !event.isEcho && event.sequence > last ?? .min {
            defer { last = event.sequence }
            if event.isReplay { continue }
            if let last, event.sequence > last + 1 {
                for message in try await missed(last, event.sequence) { send(.received(message), to: buffer) }
            }
            switch event.change {
            case .message(let source): send(.received(try await read(source)), to: buffer)
            case .deleted(let id): send(.deleted(MessageID(id)), to: buffer)
            case .acknowledged: continue
            }
        }
    }

    /// Returns how many events between two numbers are missing; in 128 bits, since the vendor may use any numbers.
    static func lostEvents(after last: Int, before next: Int, found: Int) -> Int128 {
        Int128(next) - Int128(last) - 1 - Int128(found)
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
}

extension MenagerieV2.MessageEvent {
    /// Whether the SDK created the event itself, rather than the server.
    fileprivate var isEcho: Bool {
        switch change {
        case .message(let message): message.sequence == 0
        case .acknowledged: true
        case .deleted: false
        }
    }
}

extension Connection {
    /// Returns the messages that the vendor's stream dropped, from its list. A dropped deletion cannot be recovered,
    /// and is reported as an issue.
    func missedMessages(after last: Int, before next: Int) async throws -> [SanctuaryDomain.Message] {
        let found = try await perform {
            var found: [MenagerieV2.Message] = []
            var cursor: VendorCursor?
            repeat {
                let asked = cursor
                let page = try await self.askSignedIn { client, token in
                    try await client.messages(cursor: asked?.vendor, accessToken: token)
                }
                found += page.items.filter { $0.sequence > last && $0.sequence < next }
                cursor = try VendorCursor.next(after: page, asked: asked).map { try VendorCursor($0) }
            } while cursor != nil
            return found
        }
        let lost = MessageFeed.lostEvents(after: last, before: next, found: found.count)
        if lost > 0 {
            let issue = TranslationIssue(
                "events that the vendor dropped",
                at: "sequence",
                raw: "\(lost) between \(last) and \(next)",
                severity: .warning
            )
            configuration.issues.report([issue], of: "message events")
        }
        return try await read(found, as: .messages, of: "message events")
    }
}
#endif
