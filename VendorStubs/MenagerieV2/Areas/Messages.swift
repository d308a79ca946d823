import CofferdamCurl

extension MenagerieClient {
    /// A page of the conversation, oldest first.
    public nonisolated func messages(
        cursor: String? = nil,
        limit: Int? = nil,
        accessToken: String
    ) async throws(MenagerieError) -> Page<Message> {
        try await requireConfiguration()
        return try await wire.call(.get("messages", query: pageQuery(cursor: cursor, limit: limit), token: accessToken))
    }

    /// - Parameter localID: comes back with the message.
    public nonisolated func sendMessage(
        text: String,
        localID: String,
        accessToken: String
    ) async throws(MenagerieError) -> Message {
        try await requireConfiguration()
        let request = try WireRequest.post("messages", token: accessToken).json(["text": text, "localId": localID])
        return try await wire.call(request)
    }

    /// What happens to the conversation, after the last 50 events again.
    public nonisolated func messageEvents(accessToken: String) async throws(MenagerieError) -> EventStream<MessageEvent>
    {
        try await requireConfiguration()
        return try await EventStream(wire, .get("messages", "stream", token: accessToken)) {
            event,
            isReplay throws(MenagerieError) in
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
}

private struct Deletion: Decodable, Sendable {
    var id: String
    var sequence: Int
}
