#if Sandbox
public import Foundation  // the API uses dates and NSError
import HTTPTypes

/// A message of the conversation.
public final class MenagerieMessage {
    public let id: String
    public internal(set) var author: String
    public internal(set) var text: String
    /// The time by the sender's clock.
    public internal(set) var sentAt: Date

    init(_ json: MessageJSON) {
        id = json.id
        author = json.author
        text = json.text
        sentAt = Date(timeIntervalSince1970: json.sent_at)
    }
}

extension Menagerie {
    /// Fetches part of the conversation, newest first, with the total number of messages.
    @discardableResult
    public func fetchMessages(
        token: String,
        offset: Int,
        limit: Int,
        completion: @escaping ([MenagerieMessage]?, Int, NSError?) -> Void
    ) -> MenagerieRequest {
        let query = pageQuery(offset, limit)
        return perform { transport throws(NSError) -> MessagesJSON in
            try await transport.json(.get, "/v1/messages", query: query, token: token)
        } completion: { page, error in
            completion(page?.messages.map(MenagerieMessage.init), page?.total ?? 0, error)
        }
    }

    /// Sends a message under an id of your choice. If it cannot be sent, it is stored: see ``unsentMessages``.
    @discardableResult
    public func sendMessage(
        id: String,
        text: String,
        sentAt: Date,
        token: String,
        completion: @escaping (MenagerieMessage?, NSError?) -> Void
    ) -> MenagerieRequest {
        let (user, outbox) = (session?.userID, currentOutbox)
        return perform { transport throws(NSError) -> MessageJSON in
            do throws(NSError) {
                let body = MessageDraftJSON(id, text, sentAt)
                return try await transport.json(.post, "/v1/messages", token: token, body: body)
            } catch {
                if error.isOffline, let user {
                    try outbox?.add(MenagerieUnsentMessage(id: id, userID: user, text: text, sentAt: sentAt))
                }
                throw error
            }
        } completion: { json, error in
            completion(json.map(MenagerieMessage.init), error)
        }
    }
}

extension NSError {
    /// Whether nothing was sent.
    fileprivate var isOffline: Bool {
        code == MenagerieErrorCode.notConnected.rawValue
            && (userInfo[MenagerieRequestWasSentKey] as? NSNumber)?.boolValue == false
    }
}

struct MessageJSON: Decodable {
    var id: String
    var author: String
    var text: String
    var sent_at: Double
}

extension MessageJSON {
    init(_ draft: MessageDraftJSON, author: String) {
        self.init(id: draft.id, author: author, text: draft.text, sent_at: draft.sent_at)
    }
}

struct MessageDraftJSON: Encodable {
    var id: String
    var text: String
    var sent_at: Double

    init(_ id: String, _ text: String, _ sentAt: Date) {
        self.id = id
        self.text = text
        sent_at = sentAt.timeIntervalSince1970
    }
}

private struct MessagesJSON: Decodable {
    var total: Int
    var messages: [MessageJSON]
}
#endif
