public import Foundation  // dates and NSError stand in the API
import HTTPTypes

/// A message of the conversation.
public final class MenagerieMessage {
    public let id: String
    public internal(set) var author: String
    public internal(set) var text: String
    /// By the sender's clock.
    public internal(set) var sentAt: Date

    init(_ json: MessageJSON) {
        id = json.id
        author = json.author
        text = json.text
        sentAt = Date(timeIntervalSince1970: json.sent_at)
    }
}

extension Menagerie {
    /// Part of the conversation, newest first, and how many messages there are in all.
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

    /// Sends a message under an id of your choice.
    @discardableResult
    public func sendMessage(
        id: String,
        text: String,
        sentAt: Date,
        token: String,
        completion: @escaping (MenagerieMessage?, NSError?) -> Void
    ) -> MenagerieRequest {
        perform { transport throws(NSError) -> MessageJSON in
            let body = DraftJSON(id: id, text: text, sent_at: sentAt.timeIntervalSince1970)
            return try await transport.json(.post, "/v1/messages", token: token, body: body)
        } completion: { json, error in
            completion(json.map(MenagerieMessage.init), error)
        }
    }
}

struct MessageJSON: Decodable {
    var id: String
    var author: String
    var text: String
    var sent_at: Double
}

private struct DraftJSON: Encodable {
    var id: String
    var text: String
    var sent_at: Double
}

private struct MessagesJSON: Decodable {
    var total: Int
    var messages: [MessageJSON]
}
