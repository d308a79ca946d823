import Cofferdam
package import SanctuaryDomain  // of the domain's values

package struct MessageRecord: TapeRecord {
    var id: String
    var author: String
    var text: String
    var sentAt: Int64

    package init(_ message: Message) {
        id = message.id.rawValue
        author = message.author
        text = message.text
        sentAt = message.sentAt.millisecondsSince1970
    }

    package var value: Message {
        Message(id: MessageID(id), author: author, text: text, sentAt: Instant(millisecondsSince1970: sentAt))
    }
}

package enum MessageEventRecord: TapeRecord {
    case received(message: MessageRecord)
    case deleted(id: String)

    package init(_ event: MessageEvent) {
        switch event {
        case .received(let message): self = .received(message: MessageRecord(message))
        case .deleted(let id): self = .deleted(id: id.rawValue)
        }
    }

    package var value: MessageEvent {
        switch self {
        case .received(let message): .received(message.value)
        case .deleted(let id): .deleted(MessageID(id))
        }
    }
}
