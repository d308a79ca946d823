import Cofferdam
import SanctuaryDomain

extension StreamHandover<MessageEvent> {
    /// Delivers each message and each deletion once; adapters filter out the vendor's repetitions. The port has no
    /// event for a gap: its streams end with `truncated` if events are missing, and the subscriber reads the list
    /// again.
    static let messages = StreamHandover.items(
        gap: { _ in
            .end(SanctuaryError(.truncated, "messages are missing between the two SDKs", subject: "message events"))
        },
        item: { event in
            switch event {
            case .received(let message): StreamItem(message.id.rawValue)
            case .deleted(let id): StreamItem(id.rawValue, .deletion)
            }
        }
    )
}

extension StreamHandover<AccessoryEvent> {
    /// A new side sends its complete state first.
    static let accessories = StreamHandover.state { event in
        if case .current = event { true } else { false }
    }
}
