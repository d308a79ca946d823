#if Sandbox
import Cofferdam
import CofferdamSupport
import CofferdamState
import SanctuaryApp
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

extension MessageOutput {
    /// Returns the app's own list cell, which highlights the animals mentioned.
    static func cell(_ style: TerminalStyle) -> @Sendable (MessageListItem<ShownMessage>) -> String {
        { item in
            let author = item.content.author.escapedForTerminal
            let name =
                item.namesAuthor
                ? style.apply(item.content.isOwn ? .green : .cyan, to: author)
                : String(repeating: " ", count: author.displayWidth)
            let text = item.model.texts.flatMap(\.parts).map { part in
                part.animal.map { style.apply(.bold, to: "@\($0.displayName.escapedForTerminal)") }
                    ?? part.written.escapedForTerminal
            }
            return [style.apply(.dim, to: item.content.time.escapedForTerminal), name, text.joined()]
                .filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }
}

/// A change to the conversation, as one line.
struct ConversationOutput: Encodable {
    let event: String
    var messages: [MessageOutput]?
    var message: MessageOutput?
    var id: String?

    init(_ update: ConversationUpdate) {
        switch update {
        case .history(let messages):
            event = "history"
            self.messages = messages.map(MessageOutput.init)
        case .received(let message):
            event = "received"
            self.message = MessageOutput(message)
        case .deleted(let id):
            event = "deleted"
            self.id = id.rawValue
        }
    }

    static func lines(_ update: ConversationUpdate, _ style: TerminalStyle) -> [String] {
        switch update {
        case .history(let messages): messages.map { MessageOutput.line($0, style) }
        case .received(let message): [MessageOutput.line(message, style)]
        case .deleted(let id): [style.apply(.dim, to: "deleted: \(id.rawValue.escapedForTerminal)")]
        }
    }
}
#endif
