import CofferdamStore
public import SanctuaryDomain  // it shows one of the domain's messages

/// A message as screens show it, with the animals that it mentions.
public struct ShownMessage: Mentioning {
    public var id: MessageID { message.id }
    /// As the vendor has it.
    public let message: Message
    /// One: the message's.
    public var texts: [MentioningText]

    public init(_ message: Message) { self.init(message, texts: [MentioningText(message.text)]) }

    init(_ message: Message, texts: [MentioningText]) {
        self.message = message
        self.texts = texts
    }

    /// The message with its text as it is to be read.
    public var shown: Message {
        var shown = message
        shown.text = texts.map(\.shown).joined()
        return shown
    }
}
