import CofferdamUpgrade
import SanctuaryDomain

struct RoutedMessages: Messages {
    let route: Route<any Messages>

    func messages(_ request: PageRequest) async throws -> Page<Message> {
        try await route.walk("messages", request, carrying: .pages(\.cursorText), comparing: .messagePages) {
            try await $0.messages($1)
        }
    }

    func send(_ draft: MessageDraft) async throws -> Message {
        try await route.write("send", draft) { try await $0.send($1) }
    }

    // A side that fails ends the stream: on the other one, somebody else may be signed in.
    func events() -> any AsyncSequence<MessageEvent, any Error> & Sendable {
        route.stream("message events", .exclusive, moving: .messages) { $0.events() }
    }
}
