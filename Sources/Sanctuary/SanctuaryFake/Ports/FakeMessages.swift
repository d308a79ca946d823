import SanctuaryContracts
import SanctuaryDomain

struct FakeMessages: Messages {
    let session: FakeSession

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await session.call(signedIn: .messages) { world, _ in
            try world.update { state throws(SanctuaryError) in
                let page = try state.page(request, of: "messages", state.messages, by: .messages)
                return Page(items: try readEach(page.items.map(\.value), state.read), next: page.next)
            }
        }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await session.settleStreams()
        return try await session.call(signedIn: .send) { world, user in
            try draft.validate()
            guard draft.text.utf8.count <= 4000 else {
                throw SanctuaryError(.invalidRequest, "a text of more than 4000 bytes", subject: "text")
            }
            return world.post(draft.text, by: user.account.id)
        }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        session.events(of: .messages) { session, buffer in
            try await session.call(signedIn: .messageEvents) { world, _ in
                world.subscribe(buffer, from: session.instance)
            }
        }
    }
}

extension FakeWorld {
    func post(_ text: String, by author: String) -> Message {
        let now = self.now()
        return publish(messages: { state in
            let sequence = state.nextSequence()
            let message = Message(id: MessageID("m-\(sequence)"), author: author, text: text, sentAt: now)
            state.messages.append(FakeRecord(sequence: sequence, value: message))
            return (message, [.received(message)])
        })
    }
}
