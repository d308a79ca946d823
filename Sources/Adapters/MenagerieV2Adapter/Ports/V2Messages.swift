#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

/// The conversation, in the order of the vendor's sequence.
struct V2Messages: Messages {
    let connection: Connection

    func messages(_ request: PageRequest) async throws -> SanctuaryDomain.Page<SanctuaryDomain.Message> {
        try await connection.perform { [connection] in
            let asked = try MessageCursor.asked(request)
            let page = try await connection.page(asked?.vendor, limit: request.limit)
            if let asked, asked.mayHaveGap(before: page) {
                try asked.check(against: try await connection.page(asked.before.cursor, limit: asked.before.limit))
            }
            let next = try MessageCursor.next(after: page, asked: asked, limit: request.limit)
            let messages = try await connection.read(page.items, as: .messages, of: "messages")
            return SanctuaryDomain.Page(items: messages, next: next)
        }
    }

    func send(_ draft: MessageDraft) async throws -> SanctuaryDomain.Message {
        try draft.validate()
        return try await connection.performOnce { [connection] mark in
            // By the time the streams are open, another user may be signed in.
            guard let user = await connection.credentials.current?.account.id else {
                throw SanctuaryError(.authenticationRequired, "no user is signed in")
            }
            try await connection.waitForRequestedStreams()
            let ended = try await connection.prepareUnsent(of: user)
            defer { ended() }
            let message = try await connection.unsent.once(draft, of: user, mark) {
                let earlier = try await connection.unsent.delivery.run {
                    let isRepeat = try await connection.unsent.putAgain(draft, of: user)
                    return try await connection.deliverUnsent(of: user, including: draft.key, isRepeat ? mark : nil)
                }
                if let earlier { return earlier }
                return try await connection.send(draft, of: user, mark)
            }
            return try await connection.read(message, as: .messages, of: "send")
        }
    }

    func events() -> any AsyncSequence<SanctuaryDomain.MessageEvent, any Error> & Sendable {
        let feed = MessageFeed(
            missed: { [connection] in try await connection.missedMessages(after: $0, before: $1) },
            read: { [connection] in try await connection.read($0, as: .messages, of: "message events") }
        )
        return connection.subscriptions.open(
            .session,
            dropped: connection.countDrops(of: "message events"),
            end: connection.endOfStream
        ) { [connection] buffer, isOpen in
            let events = try await connection.perform {
                try await connection.askSignedIn { client, token in
                    try await client.messageEvents(accessToken: token)
                }
            }
            isOpen.open()
            try await feed.run(events, after: events.sequence, into: buffer)
        }
    }
}

extension Connection {
    fileprivate func page(_ cursor: String?, limit: Int) async throws -> MenagerieV2.Page<MenagerieV2.Message> {
        try await askSignedIn { client, token in
            try await client.messages(cursor: cursor, limit: limit, accessToken: token)
        }
    }

    /// Sends a message, and stores it if it cannot be sent.
    fileprivate func send(
        _ draft: MessageDraft,
        of user: String,
        _ mark: SendMark
    ) async throws -> MenagerieV2.Message {
        try await unsent.sending(draft, of: user) {
            try await self.askSignedIn(as: user) { client, token in
                try await mark.sending {
                    try await client.sendMessage(text: draft.text, localID: draft.key, accessToken: token)
                }
            }
        }
    }

    /// Sends the unsent messages, each once.
    ///
    /// - Parameter mark: the mark of the message with that key, if it may have arrived before.
    /// - Returns: the message with that key, if it was one of them.
    /// - Throws: if the message with that key cannot be sent now.
    fileprivate func deliverUnsent(
        of user: String,
        including key: String,
        _ mark: SendMark?
    ) async throws -> MenagerieV2.Message? {
        let entries = try await client.outbox.entries()
        let deliver: @Sendable () async throws -> [MenagerieV2.Message] = {
            try await self.askSignedIn(as: user) { client, token in
                guard let mark else { return try await client.deliverOutbox(accessToken: token) }
                return try await mark.sending { try await client.deliverOutbox(accessToken: token) }
            }
        }
        do {
            let delivered: [MenagerieV2.Message]?
            do {
                delivered = try await unsent.delivering(for: user, deliver)
            } catch MenagerieError.validation {
                delivered = try await unsent.deliveringEach(for: user, including: key, deliver)
            }
            return delivered?.first { $0.localId == key }
        } catch {
            guard entries.contains(where: { $0.localId == key }) || error is CancellationError else { return nil }
            throw error
        }
    }

    /// Waits for the streams requested before a message is sent, so that they receive it; if the vendor does not open
    /// them, the wait ends after a second.
    fileprivate func waitForRequestedStreams() async throws {
        do {
            try await withDeadline(.seconds(1), clock: configuration.clock) { [subscriptions] in
                try await subscriptions.settled()
            }
        } catch is DeadlineExceeded {}
    }
}
#endif
