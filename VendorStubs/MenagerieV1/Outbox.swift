#if Sandbox
public import Foundation  // the API uses dates and NSError
import HTTPTypes

/// A message that could not be sent yet.
public final class MenagerieUnsentMessage: Codable {
    public let id: String
    public let userID: String
    public let text: String
    /// The time of writing, by this device's clock.
    public let sentAt: Date

    init(id: String, userID: String, text: String, sentAt: Date) {
        self.id = id
        self.userID = userID
        self.text = text
        self.sentAt = sentAt
    }
}

/// The messages that could not be sent yet, oldest first, on disk.
final class Outbox {
    private let file: StateFile
    private let lock = NSLock()

    init(directory: String) { file = StateFile("outbox", in: directory) }

    func messages() throws(NSError) -> [MenagerieUnsentMessage] {
        lock.lock()
        defer { lock.unlock() }
        return try file.propertyList() ?? []
    }

    func add(_ message: MenagerieUnsentMessage) throws(NSError) {
        try change { messages in
            if !messages.contains(where: { $0.id == message.id }) { messages.append(message) }
        }
    }

    func remove(_ id: String) throws(NSError) { try change { $0.removeAll { $0.id == id } } }

    private func change(_ body: (inout [MenagerieUnsentMessage]) -> Void) throws(NSError) {
        lock.lock()
        defer { lock.unlock() }
        var messages: [MenagerieUnsentMessage] = try file.propertyList() ?? []
        body(&messages)
        if messages.isEmpty { try file.write(nil) } else { try file.write(propertyList: messages) }
    }
}

extension Menagerie {
    /// The signed-in user's messages that could not be sent, oldest first.
    public var unsentMessages: [MenagerieUnsentMessage] {
        guard let user = session?.userID, let outbox = currentOutbox else { return [] }
        // If the outbox cannot be read, there are none to send.
        return ((try? outbox.messages()) ?? []).filter { $0.userID == user }
    }

    /// Sends the unsent messages, and removes those that arrived; the others stay.
    @discardableResult
    public func sendUnsentMessages(
        token: String,
        completion: @escaping ([MenagerieMessage]?, NSError?) -> Void
    ) -> MenagerieRequest {
        let (unsent, outbox) = (unsentMessages, currentOutbox)
        return perform { transport throws(NSError) -> [MessageJSON] in
            var arrived: [MessageJSON] = []
            for message in unsent {
                let body = MessageDraftJSON(message.id, message.text, message.sentAt)
                do throws(NSError) {
                    arrived.append(try await transport.json(.post, "/v1/messages", token: token, body: body))
                } catch  where error.code == 409 {
                    // The message had arrived before.
                    arrived.append(MessageJSON(body, author: message.userID))
                }
                try outbox?.remove(message.id)
            }
            return arrived
        } completion: { arrived, error in
            completion(arrived?.map(MenagerieMessage.init), error)
        }
    }
}
#endif
