/// Port: the keepers' conversation.
///
/// Isolation, cancellation and errors are those of ``Catalogue``; credentials those of ``Orders``.
///
/// The list is in the vendor's order: by arrival, or by the senders' clocks if the vendor has no other. Events are in
/// order of arrival (D22).
public protocol Messages: Sendable {
    /// Returns one page of the conversation, oldest message first; cursors work as in ``Catalogue/animals(_:)``.
    func messages(_ request: PageRequest) async throws -> Page<Message>

    /// Sends a message, and returns it as recorded.
    ///
    /// A stream requested before is opened first, so that its subscriber receives the message; if the vendor does not
    /// open it, the call waits at most five seconds.
    ///
    /// A message that could not be sent is stored on this device, and is sent once, as its author's, before the same
    /// user's next message; sending it again with the same key does not duplicate it (D26). One that the vendor refuses
    /// then is reported as an issue, and stored no longer.
    ///
    /// - Throws: `unreachable` if the message could not be sent and is stored; `invalidRequest` for an empty text;
    ///   where the key is the message's id, also for an empty key, and `conflict` for a key that is taken;
    ///   `outcomeUnknown` if the connection was lost after the message was sent, or the answer cannot be read.
    func send(_ draft: MessageDraft) async throws -> Message

    /// Returns the events from now on, in order, one at a time (STRM-01). A new subscriber receives no earlier events,
    /// however often it connects, and a deletion wins over anything the vendor repeats (D21). The user's own messages
    /// appear once, under the id that ``send(_:)`` returns, before or after it returns (D22). The events are messages
    /// and deletions, and each is delivered (D24). Each subscriber has a separate stream.
    ///
    /// The stream ends with an error if the connection to the vendor is lost, with `authenticationRequired` when its
    /// user signs out or another one signs in, and with `truncated` for a subscriber more than 1,024 events behind. It
    /// is released when the consuming task is cancelled or the stream is dropped (STRM-04). Iterate it once.
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable
}
