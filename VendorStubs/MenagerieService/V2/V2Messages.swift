#if Sandbox
extension V2API {
    var messages: [Route] {
        [
            Route(
                "GET",
                "messages",
                .listMessages,
                signedIn { call, _, _ in
                    try page("messages", quirk: .listMessages, for: call, of: \.messages.messages) { message, world in
                        world.shown(Self.record(of: message), of: .message(message.id))
                    }
                }
            ),
            Route(
                "POST",
                "messages",
                .sendMessage,
                signedIn { call, _, user in
                    let fields = try call.object()
                    let (text, localID) = (try fields.string("text"), try fields.optionalString("localId"))
                    try MessageStore.validate(text: text)
                    let message = try sandbox.world.update { world throws(Refusal) in
                        try world.messages.add(localID: localID, author: user.id, text: text, at: world.now)
                    }
                    try await sandbox.world.wait { !$0.messages.holdsAnswers }
                    return .json(Self.record(of: message), status: 201)
                }
            ),
            Route(
                "POST",
                "messages/outbox",
                .deliverOutbox,
                signedIn { call, _, user in
                    let entries = try call.object().objects("messages").map { entry throws(Refusal) in
                        (id: try entry.string("localId"), text: try entry.string("text"))
                    }
                    for entry in entries { try MessageStore.validate(text: entry.text) }
                    let messages = try sandbox.world.update { world throws(Refusal) in
                        try entries.map { entry throws(Refusal) in
                            let known = world.messages.message(localID: entry.id, author: user.id)
                            if let known { return known }
                            let (now, id) = (world.now, entry.id)
                            return try world.messages.add(localID: id, author: user.id, text: entry.text, at: now)
                        }
                    }
                    return .json(["messages": .array(messages.map(Self.record))])
                }
            ),
            Route(
                "GET",
                "messages/stream",
                .messageEvents,
                reply: .stream,
                signedIn { _, _, _ in
                    sandbox.stream(
                        \.messages.log,
                        opening: { log in
                            let replayed = log.events(after: log.announced - Self.replayLength)
                            return [try serverSentEvent("ready", ["sequence": .integer(log.announced)])]
                                + (try replayed.map { try Self.text(of: $0.event, $0.sequence) })
                                + [try serverSentEvent("live", ["sequence": .integer(log.announced)])]
                        },
                        { try Self.text(of: $1, $0) }
                    )
                }
            ),
        ]
    }

    /// The number of events that a stream replays first.
    private static let replayLength = 50

    private static func text(of event: MessageStore.Event, _ sequence: Int) throws -> String {
        switch event {
        case .sent(let message): try serverSentEvent("message", id: sequence, record(of: message))
        case .deleted(let id):
            try serverSentEvent("deleted", id: sequence, ["id": .string(id), "sequence": .integer(sequence)])
        }
    }

    /// Returns a MESSAGE, with the time in the author's presumed time zone.
    private static func record(of message: Message) -> JSON {
        let offsets = [0, 540, 0, -210]
        return .members([
            "id": .string(message.id),
            "localId": message.localID.map(JSON.string),
            "sequence": .integer(message.sequence),
            "author": .string(message.author),
            "text": .string(message.text),
            "sentAt": .string(message.sentAt.rfc3339(offsetMinutes: offsets[message.sequence % offsets.count])),
        ])
    }
}
#endif
