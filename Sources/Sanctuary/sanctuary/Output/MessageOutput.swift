import Cofferdam
import SanctuaryDomain

/// A message as the commands print it.
struct MessageOutput: Encodable {
    let id: String
    let author: String
    let text: String
    let sentAt: String

    init(_ message: Message) {
        id = message.id.rawValue
        author = message.author
        text = message.text
        sentAt = message.sentAt.rfc3339
    }

    static func table(_ messages: [Message], _ style: TerminalStyle) -> String {
        var table = TextTable([.init("SENT"), .init("AUTHOR"), .init("TEXT")])
        for message in messages {
            table.add([.init(message.sentAt.short, .dim), .init(message.author, .cyan), .init(message.text)])
        }
        return table.render(style)
    }

    static func line(_ message: Message, _ style: TerminalStyle) -> String {
        let time = style.apply(.dim, to: message.sentAt.short)
        let author = style.apply(.cyan, to: message.author.escapedForTerminal)
        return "\(time)  \(author)  \(message.text.escapedForTerminal)"
    }
}

/// What happens to the conversation, on a line of its own.
struct MessageEventOutput: Encodable {
    let event: String
    var message: MessageOutput?
    var id: String?

    init(_ event: MessageEvent) {
        switch event {
        case .received(let message):
            self.event = "received"
            self.message = MessageOutput(message)
        case .deleted(let id):
            self.event = "deleted"
            self.id = id.rawValue
        }
    }

    static func line(_ event: MessageEvent, _ style: TerminalStyle) -> String {
        switch event {
        case .received(let message): MessageOutput.line(message, style)
        case .deleted(let id): style.apply(.dim, to: "deleted: \(id.rawValue.escapedForTerminal)")
        }
    }
}
