/// Hears what happens in a list of messages. Held weakly, and called on whichever thread shows or selects.
public protocol MessageListDelegate<Model>: AnyObject, Sendable {
    associatedtype Model: Identifiable & Sendable

    /// The reader has selected a message.
    func messageList(didSelect item: MessageListItem<Model>)

    /// A message's cell is about to be made.
    func messageList(willDisplay item: MessageListItem<Model>)
}

extension MessageListDelegate {
    public func messageList(didSelect item: MessageListItem<Model>) {}
    public func messageList(willDisplay item: MessageListItem<Model>) {}
}
