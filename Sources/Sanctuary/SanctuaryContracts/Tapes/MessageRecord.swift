import CofferdamContracts
import SanctuaryDomain

struct MessageRecord: TapeRecord {
    var id: String
    var author: String
    var text: String
    var sentAt: Int64

    init(_ message: Message) {
        id = message.id.rawValue
        author = message.author
        text = message.text
        sentAt = message.sentAt.millisecondsSince1970
    }

    var value: Message {
        Message(id: MessageID(id), author: author, text: text, sentAt: Instant(millisecondsSince1970: sentAt))
    }
}

enum MessageEventRecord: TapeRecord {
    case received(message: MessageRecord)
    case deleted(id: String)

    init(_ event: MessageEvent) {
        switch event {
        case .received(let message): self = .received(message: MessageRecord(message))
        case .deleted(let id): self = .deleted(id: id.rawValue)
        }
    }

    var value: MessageEvent {
        switch self {
        case .received(let message): .received(message.value)
        case .deleted(let id): .deleted(MessageID(id))
        }
    }
}
