import Cofferdam
import SanctuaryDomain

extension StreamHandover<MessageEvent> {
    /// Each message and each deletion once; adapters leave out what a vendor repeats. The port has no event for a gap: its
    /// streams end by `truncated` where something is missing, and the subscriber reads the list again.
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
    /// A new side tells everything first.
    static let accessories = StreamHandover.state { event in
        if case .current = event { true } else { false }
    }
}
