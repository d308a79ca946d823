#if Sandbox
public import Foundation  // the API uses NSError
import HTTPTypes

/// Receives changes to the conversation. Every method is optional.
public protocol MenagerieChatDelegate: AnyObject {
    /// Called when connected: nothing is missed from now on while the connection lasts.
    func chatDidConnect(_ chat: MenagerieChat)
    func chat(_ chat: MenagerieChat, didReceive message: MenagerieMessage)
    func chat(_ chat: MenagerieChat, didDelete messageID: String)
    /// Called when the connection is lost and the delegate is no longer registered.
    func chat(_ chat: MenagerieChat, didFailWithError error: NSError)
}

extension MenagerieChatDelegate {
    public func chatDidConnect(_ chat: MenagerieChat) {}
    public func chat(_ chat: MenagerieChat, didReceive message: MenagerieMessage) {}
    public func chat(_ chat: MenagerieChat, didDelete messageID: String) {}
    public func chat(_ chat: MenagerieChat, didFailWithError error: NSError) {}
}

/// The live conversation. Messages sent while there is no connection are not delivered later.
public final class MenagerieChat {
    private unowned let menagerie: Menagerie
    private let poll: LongPoll<ChatEventJSON, ChatEvent>

    init(_ menagerie: Menagerie) {
        self.menagerie = menagerie
        poll = LongPoll(path: "/v1/messages/poll") { transport, token throws(NSError) in
            let now: PositionJSON = try await transport.json(.get, "/v1/messages/poll", token: token)
            return (now.next, {})
        } apply: { json in
            switch json {
            case .message(let message): .received(MenagerieMessage(message))
            case .deleted(let id): .deleted(id)
            case .unknown: nil
            }
        }
    }

    /// Registers a delegate, which is held weakly. All delegates receive all changes.
    public func addDelegate(_ delegate: any MenagerieChatDelegate, token: String) {
        let (transport, queue) = (menagerie.currentTransport, menagerie.callbackQueue)
        poll.add(delegate, token: token, transport: transport, queue: queue) { [weak self, weak delegate] news in
            guard let self, let delegate else { return }
            switch news {
            case .begun: delegate.chatDidConnect(self)
            case .change(.received(let message)): delegate.chat(self, didReceive: message)
            case .change(.deleted(let id)): delegate.chat(self, didDelete: id)
            case .failed(let error): delegate.chat(self, didFailWithError: error)
            }
        }
    }

    /// Removes a delegate. The connection ends with the last one.
    public func removeDelegate(_ delegate: any MenagerieChatDelegate) { poll.remove(delegate) }

    func removeAllDelegates() { poll.removeAll() }
}

private enum ChatEvent {
    case received(MenagerieMessage)
    case deleted(String)
}

private enum ChatEventJSON: Decodable {
    case message(MessageJSON)
    case deleted(String)
    case unknown

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch try fields.decode(String.self, forKey: .type) {
        case "message": self = .message(try fields.decode(MessageJSON.self, forKey: .message))
        case "deleted": self = .deleted(try fields.decode(String.self, forKey: .id))
        default: self = .unknown
        }
    }

    private enum Key: String, CodingKey { case type, message, id }
}
#endif
