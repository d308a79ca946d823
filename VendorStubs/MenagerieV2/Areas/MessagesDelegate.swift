#if Sandbox
/// Receives changes to a conversation. Every method is optional.
public protocol MenagerieMessagesDelegate: AnyObject, Sendable {
    func didReceive(_ message: Message, in conversation: String)
    func didDelete(_ messageID: String, in conversation: String)
}

extension MenagerieMessagesDelegate {
    public func didReceive(_ message: Message, in conversation: String) {}
    public func didDelete(_ messageID: String, in conversation: String) {}
}

extension MenagerieClient {
    /// The only conversation.
    public static var conversation: String { "keepers" }

    /// Notifies the delegate from now on, until the connection is lost or the task is cancelled.
    public nonisolated func listen(
        with delegate: some MenagerieMessagesDelegate,
        accessToken: String
    ) async throws(MenagerieError) {
        let events = try await messageEvents(accessToken: accessToken)
        var iterator = events.makeAsyncIterator()
        while let event = try await iterator.next() {
            switch event.change {
            case .message(let message): delegate.didReceive(message, in: Self.conversation)
            case .deleted(let id): delegate.didDelete(id, in: Self.conversation)
            case .acknowledged: continue
            }
        }
    }
}
#endif
