public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Messages``.
public enum MessagesOperations {
    public static let messages = PortOperation<any Messages, PageRequest, Page<Message>>("messages", .read) {
        try await $0.messages($1)
    }
    .ofUser()
    .paged(by: .pages(cursor: { $0.cursor?.rawValue }, setCursor: { $0.cursor = Cursor($1) }))
    .compared(by: .messagePages)
    .recorded(as: PageRecord<MessageRecord>.self) { ["cursor": $0.cursor?.rawValue, "limit": $0.limit] }

    public static let send = PortOperation<any Messages, MessageDraft, Message>("send", .write) {
        try await $0.send($1)
    }
    .ofUser()
    .recorded(as: MessageRecord.self) { ["text": $0.text, "key": $0.key] }

    /// A failing side ends the stream: on the other one, another user may be signed in.
    public static let events = StreamingOperation<any Messages, Void, MessageEvent>("message events", .exclusive) {
        $0.events()
    }
    .ofUser()
    .handedOver(by: .messages)
    .recorded(as: MessageEventRecord.self)
}

extension Intercepted: Messages where Port == any Messages {
    public func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await call(MessagesOperations.messages, request) { try await $0.messages($1) }
    }

    public func send(_ draft: MessageDraft) async throws -> Message {
        try await call(MessagesOperations.send, draft) { try await $0.send($1) }
    }

    public func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable { stream(MessagesOperations.events) }
}
