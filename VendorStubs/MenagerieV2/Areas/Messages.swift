#if Sandbox
import CofferdamCurl
import Foundation

extension MenagerieClient {
    /// Fetches a page of the conversation, oldest first.
    public nonisolated func messages(
        cursor: String? = nil,
        limit: Int? = nil,
        accessToken: String
    ) async throws(MenagerieError) -> Page<Message> {
        try await requireConfiguration()
        return try await wire.call(.get("messages", query: pageQuery(cursor: cursor, limit: limit), token: accessToken))
    }

    /// Sends a message. This client's streams deliver it at once, under a temporary id, and its id when the server has
    /// answered. A message that cannot be sent is stored in the ``outbox``.
    ///
    /// - Parameter localID: returned with the message.
    public nonisolated func sendMessage(
        text: String,
        localID: String,
        accessToken: String
    ) async throws(MenagerieError) -> Message {
        try await requireConfiguration()
        let request = try WireRequest.post("messages", token: accessToken).json(["text": text, "localId": localID])
        let temporary = Message(
            id: "tmp-\(localID)",
            localId: localID,
            sequence: 0,
            author: await user?.id ?? "",
            text: text,
            sentAt: options.now().ISO8601Format()
        )
        echoes.deliver(.message(temporary), sequence: 0)
        do {
            let message: Message = try await wire.call(request)
            echoes.deliver(.acknowledged(temporaryId: temporary.id, message), sequence: message.sequence)
            return message
        } catch {
            if case .transport(let failure) = error, failure.kind == .offline {
                try await outbox.add([OutboxEntry(localId: localID, text: text)])
            }
            throw error
        }
    }

    /// Sends the messages in the ``outbox``, each recorded once however often it is sent. They are recorded as messages
    /// of the token's user.
    @discardableResult
    public nonisolated func deliverOutbox(accessToken: String) async throws(MenagerieError) -> [Message] {
        try await requireConfiguration()
        let entries = try await outbox.entries()
        guard !entries.isEmpty else { return [] }
        let request = try WireRequest.post("messages", "outbox", token: accessToken).json(["messages": entries])
        let delivered = try await wire.call(request, answer: Delivery.self).messages
        try await outbox.remove(Set(entries.map(\.localId)))
        return delivered
    }

    /// Opens a stream of changes to the conversation, after a replay of the last 50 events.
    public nonisolated func messageEvents(accessToken: String) async throws(MenagerieError) -> EventStream<MessageEvent>
    {
        try await requireConfiguration()
        return try await EventStream(
            wire,
            .get("messages", "stream", token: accessToken),
            attach: { [echoes] listener in echoes.add(listener) },
            { event, isReplay throws(MenagerieError) in try await Self.messageEvent(event, isReplay) }
        )
    }

    private static func messageEvent(
        _ event: ServerSentEvent,
        _ isReplay: Bool
    ) async throws(MenagerieError) -> MessageEvent? {
        let data = Array(event.data.utf8)
        switch event.event {
        case "message":
            let message = try await decode(Message.self, from: data)
            return MessageEvent(sequence: message.sequence, isReplay: isReplay, change: .message(message))
        case "deleted":
            let deletion = try await decode(Deletion.self, from: data)
            return MessageEvent(
                sequence: deletion.sequence,
                isReplay: isReplay,
                change: .deleted(id: deletion.id)
            )
        default:
            return nil
        }
    }
}

private struct Delivery: Decodable, Sendable { var messages: [Message] }

private struct Deletion: Decodable, Sendable {
    var id: String
    var sequence: Int
}
#endif
