import CofferdamUpgrade
import SanctuaryDomain

struct RoutedMessages: Messages {
    let route: Route<any Messages>

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await route.walk("messages", request, carrying: .pages(\.cursorText), comparing: .pages(of: .messages)) {
            try await $0.messages($1)
        }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await route.write("send", draft) { try await $0.send($1) }
    }

    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        StreamOfOneSide { try await route.exclusive("message events", ()) { port, _ in port.events() } }
    }
}
