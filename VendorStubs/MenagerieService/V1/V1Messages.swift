#if Sandbox
extension V1API {
    var messages: [Route] {
        [
            Route(
                "GET",
                "messages",
                .listMessages,
                signedIn { call, _, _ in
                    try sandbox.world.read { world throws(Refusal) in
                        let messages = world.messages.newestFirst
                        let page = try Self.page(of: messages, for: call)
                        return .json([
                            "total": .integer(messages.count),
                            "messages": .array(
                                page.map { world.shown(Self.record(of: $0), of: .message($0.id)) }
                            ),
                        ])
                    }
                }
            ),
            Route(
                "POST",
                "messages",
                .sendMessage,
                signedIn { call, _, user in
                    let fields = try call.object()
                    let (id, text) = (try fields.string("id"), try fields.string("text"))
                    let moment = try fields.moment("sent_at")
                    guard !id.isEmpty, id.utf8.count <= 200 else {
                        throw Refusal(.validation, "1 to 200 bytes", field: "id")
                    }
                    try MessageStore.validate(text: text)
                    let message = try sandbox.world.update { world throws(Refusal) in
                        try world.messages.add(id: id, author: user.id, text: text, at: moment)
                    }
                    return .json(Self.record(of: message), status: 201)
                }
            ),
            Route(
                "GET",
                "messages/poll",
                .messageEvents,
                reply: .late,
                signedIn { call, _, _ in
                    let (after, timeout) = try Self.poll(call)
                    let (next, events) = try await sandbox.poll(\.messages.log, after: after, timeout: timeout)
                    let records = events.map { event -> JSON in
                        switch event {
                        case .sent(let message): ["type": "message", "message": Self.record(of: message)]
                        case .deleted(let id): ["type": "deleted", "id": .string(id)]
                        }
                    }
                    return .json(["next": .integer(next), "events": .array(records)])
                }
            ),
        ]
    }

    /// Returns a MESSAGE.
    private static func record(of message: Message) -> JSON {
        [
            "id": .string(message.id),
            "author": .string(message.author),
            "text": .string(message.text),
            "sent_at": .number(message.sentAt.seconds),
        ]
    }
}
#endif
