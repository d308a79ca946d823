import CofferdamStore
public import SanctuaryDomain  // it shows one of the domain's messages

/// A message as screens show it, with the animals that it mentions.
public struct ShownMessage: Mentioning {
    public var id: MessageID { message.id }
    /// The message as the vendor sent it.
    public let message: Message
    /// One element, the text of the message.
    public var texts: [MentioningText]

    public init(_ message: Message) { self.init(message, texts: [MentioningText(message.text)]) }

    init(_ message: Message, texts: [MentioningText]) {
        self.message = message
        self.texts = texts
    }

    /// The message with the current names of the animals in its text.
    public var shown: Message {
        var shown = message
        shown.text = texts.map(\.shown).joined()
        return shown
    }
}
