import Cofferdam
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
        // By the time the streams are served, another user may be signed in.
        let user = try await session.user()
        try draft.validate()
        try await session.settleStreams()
        if let earlier = try await sendUnsent(of: user, including: draft.key) { return earlier }
        do {
            return try await send(draft, of: user)
        } catch let error as SanctuaryError where error.code == .unreachable {
            session.device.keep(draft, of: user)
            throw error
        }
    }

    /// Sends the unsent messages, each once. One that the vendor refuses is dropped, and reported as an issue.
    ///
    /// - Returns: the message with that key, if it was one of them.
    /// - Throws: if the message with that key cannot be sent now.
    private func sendUnsent(of user: String, including key: String) async throws -> Message? {
        var earlier: Message?
        for draft in session.device.unsent(of: user) {
            do {
                let message = try await send(draft, of: user)
                if draft.key == key { earlier = message }
            } catch let error as SanctuaryError where error.code == .invalidRequest && draft.isTooLong {
                let what = "it was kept, and the vendor refuses it: \(error)"
                session.issues.report(
                    [TranslationIssue(what, at: "message", raw: draft.key, severity: .warning)],
                    of: "unsent"
                )
                if draft.key == key {
                    session.device.drop(draft, of: user)
                    throw error
                }
            } catch {
                guard draft.key == key || error is CancellationError else { return earlier }
                throw error
            }
            session.device.drop(draft, of: user)
        }
        return earlier
    }

    private func send(_ draft: MessageDraft, of user: String) async throws -> Message {
        try await session.call(signedIn: .send, as: user) { world, user in
            guard !draft.isTooLong else {
                throw SanctuaryError(.invalidRequest, "a text of more than 4000 bytes", subject: "text")
            }
            return try world.send(draft, by: user.account.id)
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

extension MessageDraft {
    fileprivate var isTooLong: Bool { text.utf8.count > 4000 }
}

extension FakeWorld {
    func post(_ text: String, by author: String, at moment: Instant? = nil) -> Message {
        let moment = moment ?? now()
        return publish(messages: { state in
            let message = state.add(text, by: author, at: moment)
            return (message, [.received(message)])
        })
    }

    /// Records a message once for each key of an author.
    fileprivate func send(_ draft: MessageDraft, by author: String) throws(SanctuaryError) -> Message {
        let now = self.now()
        return try publish(messages: { state throws(SanctuaryError) in
            if let earlier = state.sentMessages[author]?[draft.key] {
                guard earlier.text == draft.text else {
                    throw SanctuaryError(.conflict, "the key was used for another message", subject: "key")
                }
                return (earlier, [])
            }
            let message = state.add(draft.text, by: author, at: now)
            state.sentMessages[author, default: [:]][draft.key] = message
            return (message, [.received(message)])
        })
    }
}

extension FakeState {
    fileprivate mutating func add(_ text: String, by author: String, at moment: Instant) -> Message {
        let sequence = nextSequence()
        let message = Message(id: MessageID("m-\(sequence)"), author: author, text: text, sentAt: moment)
        messages.append(FakeRecord(sequence: sequence, value: message))
        return message
    }
}
