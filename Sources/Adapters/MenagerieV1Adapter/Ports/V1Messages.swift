#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

struct V1Messages: Messages {
    let vendor: Vendor
    let now: @Sendable () -> Instant
    let unsent: UnsentMessages

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try Task.checkCancellation()
        let session = try vendor.session()
        let limit = try request.vendorLimit()
        guard let cursor = request.cursor else {
            return try await MessageWalk.first(limit: limit) { try await fetch($0, $1, session) }
        }
        return try await MessageWalk(cursor).page(limit: limit) { try await fetch($0, $1, session) }
    }

    /// Fetches messages newest first, in the vendor's order.
    private func fetch(_ offset: Int, _ limit: Int, _ session: Vendor.Session) async throws -> Batch<Message> {
        try await vendor.call { sdk, answer in
            sdk.fetchMessages(token: session.token, offset: offset, limit: limit) { @Sendable messages, total, error in
                answer(messages.map { ($0, total) }, error)
            }
        } translate: { [vendor] messages, total throws(SanctuaryError) in
            Batch(items: try vendor.translate(messages, by: .message, "messages"), total: total)
        }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try Task.checkCancellation()
        let session = try vendor.session()
        try draft.validate()
        try await vendor.chatListeners.connected(vendor)
        let ended = try await unsent.prepare()
        defer { ended() }
        if let earlier = try await sendUnsent(including: draft.key, session) { return earlier }
        let sentAt = now()
        return try await vendor.call(.changes, as: session.account.id) { sdk, answer in
            sdk.sendMessage(
                id: draft.key,
                text: draft.text,
                sentAt: Date(sentAt),
                token: session.token,
                completion: answer
            )
        } translate: { [vendor] message throws(SanctuaryError) in
            try vendor.translate(message, by: .message, "message")
        }
    }

    /// Sends the unsent messages, each once. One that the vendor refuses is dropped: the SDK would try it again each
    /// time, and never send those after it.
    ///
    /// - Returns: the message with that key, if it was one of them.
    /// - Throws: if the message with that key cannot be sent now.
    private func sendUnsent(including key: String, _ session: Vendor.Session) async throws -> Message? {
        guard !unsentMessages(session).isEmpty else { return nil }
        // One call at a time, so that the first message that is left after a refusal is the one that was refused.
        return try await unsent.turnstile.run {
            var earlier: Message?
            while true {
                let messages = unsentMessages(session)
                guard !messages.isEmpty else { return earlier }
                do {
                    let sent: [Message] = try await unsent.tried.trying(messages.map(\.id)) {
                        try await vendor.call(.changes, as: session.account.id) { sdk, answer in
                            sdk.sendUnsentMessages(token: session.token, completion: answer)
                        } translate: { [vendor] messages throws(SanctuaryError) in
                            try vendor.translate(messages, by: .message, "messages")
                        }
                    }
                    return sent.first { $0.id.rawValue == key } ?? earlier
                } catch {
                    let message = messages.first { $0.id == key }
                    // The SDK returns none of the messages that have arrived if a later one fails.
                    if let message, unsent.hasLeft(key) {
                        earlier = try vendor.translate(message, by: .unsentMessage, "messages")
                    }
                    guard let error = error as? SanctuaryError, error.isRefusalByVendor else {
                        guard earlier == nil, message != nil || error is CancellationError else { return earlier }
                        throw error
                    }
                    guard let refused = unsentMessages(session).first?.id else { return earlier }
                    try unsent.drop(refused, error)
                    guard refused != key else { throw error }
                }
            }
        }
    }

    /// Another user may have signed in since.
    private func unsentMessages(_ session: Vendor.Session) -> [MenagerieUnsentMessage] {
        Menagerie.shared.unsentMessages.filter { $0.userID == session.account.id }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        let listener = ChatListener(vendor)
        listener.listen()
        return listener.buffer.events
    }
}
#endif
