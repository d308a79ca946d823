/// Port: the keepers' conversation.
///
/// Isolation, cancellation and errors as ``Catalogue`` says; credentials as ``Orders`` says.
///
/// The order of the list is the vendor's: by arrival, or by the senders' clocks where it knows no other. Events come by
/// arrival (D22).
public protocol Messages: Sendable {
    /// One page of the conversation, oldest message first; cursors as in ``Catalogue/animals(_:)``.
    func messages(_ request: PageRequest) async throws -> Page<Message>

    /// Sends a message, and returns it as recorded.
    ///
    /// A stream that was asked for before is opened first, so that its subscriber hears of the message; a vendor that does
    /// not open it holds up nobody for more than five seconds.
    ///
    /// A message that could not be sent is kept on this device, and goes out once, as its author's, before the next message
    /// that this user sends; sending it again with the same key makes no second one (D26).
    ///
    /// - Throws: `unreachable` if it could not be sent, and is kept; `invalidRequest` for an empty text, or an empty key
    ///   where the key is the message's id; `conflict` there for a key that is taken; `outcomeUnknown` if the connection
    ///   was lost after it was sent, or the answer cannot be read.
    func send(_ draft: MessageDraft) async throws -> Message

    /// What happens from now on, in its order, delivered one at a time (STRM-01); a new subscriber hears nothing of what
    /// was before, however often it connects, and a deletion wins over whatever the vendor repeats (D21). One's own messages
    /// come once, under the id that ``send(_:)`` returns, before or after it has returned (D22). Messages and deletions are
    /// all that happens, and each is told (D24). Each subscriber has a stream of its own.
    ///
    /// Ends by an error if the vendor is lost, by `authenticationRequired` when its user signs out or another one signs in, and by `truncated` for a subscriber who is more than 1,024 events behind;
    /// released when the consuming task is cancelled or the stream is dropped (STRM-04). Iterate it once.
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable
}
