#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

/// A subscriber's own delegate. The vendor holds it weakly; the subscriber's stream retains it until the stream ends.
final class ChatListener: MenagerieChatDelegate, Sendable {
    let buffer: EventBuffer<MessageEvent>
    private let vendor: Vendor
    private let connection: ChatListeners.Connection

    init(_ vendor: Vendor) {
        self.vendor = vendor
        buffer = EventBuffer(limit: 1024, onDrop: vendor.countDrops(of: "message events"))
        connection = vendor.chatListeners.makeConnection()
    }

    func listen() {
        do {
            try Task.checkCancellation()
            let token = try vendor.session().token
            let lifetime = vendor.lifetime
            guard let id = lifetime.enter(.session, end: { [buffer] in buffer.finish(throwing: $0) }) else {
                throw Lifetime.closed
            }
            vendor.chatListeners.expect(connection)
            Menagerie.shared.chat.addDelegate(self, token: token)
            buffer.onTermination {
                lifetime.leave(id)
                self.settle()
                Menagerie.shared.chat.removeDelegate(self)
            }
        } catch {
            buffer.finish(throwing: error)
        }
    }

    func chatDidConnect(_ chat: MenagerieChat) { settle() }

    func chat(_ chat: MenagerieChat, didReceive message: MenagerieMessage) {
        do throws(SanctuaryError) {
            send(.received(try vendor.translate(message, by: .message, "message")))
        } catch {
            buffer.finish(throwing: error)
        }
    }

    func chat(_ chat: MenagerieChat, didDelete messageID: String) { send(.deleted(MessageID(messageID))) }

    func chat(_ chat: MenagerieChat, didFailWithError error: NSError) {
        buffer.finish(throwing: SanctuaryError(error))
    }

    private func settle() { vendor.chatListeners.settle(connection) }

    private func send(_ event: MessageEvent) {
        buffer.send(event) { SanctuaryError(.truncated, "the subscriber is more than 1,024 events behind") }
    }
}
#endif
