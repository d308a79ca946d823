import Cofferdam
import CofferdamContracts
import SanctuaryDomain

/// The conversation of one program: the message ids in order of arrival, and the subscriber.
final class MessagesSession: Sendable {
    /// Marks the end of the events that the subscriber waits for.
    static let marker = "that is all"

    private struct State: Sendable {
        /// The ids of all messages so far, including deleted ones.
        var ids: [MessageID] = []
        var deleted: Set<MessageID> = []
        var events: [MessageEvent] = []
        var subscriber: Task<Void, any Error>?
        var lastKey = 0
    }

    let subject: SanctuarySubject
    private let context: RuleContext
    private let state = Mutex(State())
    /// Makes keys unique across programs, because the vendor remembers them for longer.
    private let unique: Int
    private let markers = AsyncStream<MessageID>.makeStream()

    init(_ subject: SanctuarySubject, _ context: RuleContext) {
        self.subject = subject
        self.context = context
        unique = subject.numbers.next()
    }

    func key() -> String {
        state.withLock { state in
            state.lastKey += 1
            return "\(unique)-\(state.lastKey)"
        }
    }

    func add(_ id: MessageID) { state.withLock { $0.ids.append(id) } }

    /// Removes and returns a message; `number` is taken modulo the number of messages.
    func remove(_ number: Int) -> MessageID? {
        state.withLock { state in
            let id = state.ids.filter { !state.deleted.contains($0) }.at(number)
            if let id { state.deleted.insert(id) }
            return id
        }
    }

    /// Subscribes to the events, once; calling it again has no effect.
    func subscribe() async throws {
        let isNew = state.withLock { state in
            guard state.subscriber == nil else { return false }
            state.subscriber = context.task { [self] in
                defer { markers.continuation.finish() }
                for try await event in subject.services.messages.events() { receive(event) }
            }
            return true
        }
        if isNew { try await subject.probe.waitForSubscribers(of: .messages, exactly: 1) }
    }

    private func receive(_ event: MessageEvent) {
        if case .received(let message) = event, message.text == Self.marker {
            markers.continuation.yield(message.id)
        } else {
            state.withLock { $0.events.append(event) }
        }
    }

    /// Returns the events received since the last call, without messages that were deleted in between; nil without a
    /// subscription.
    func readEvents() async throws -> [String]? {
        guard state.withLock({ $0.subscriber != nil }) else { return nil }
        let id = try await subject.probe.postMessage(author: "kenji", text: Self.marker).id
        add(id)
        guard await markers.stream.first(where: { $0 == id }) != nil else { return ["the events have ended"] }
        return state.withLock { state in
            defer { state.events = [] }
            let received = Set(state.events.compactMap(\.receivedID))
            let gone = Set(state.events.compactMap(\.deletedID)).intersection(received)
            return state.events.filter { !gone.contains($0.id) }.map { event in
                let number = state.ids.firstIndex(of: event.id).map { "\($0 + 1)" } ?? "unknown"
                return event.receivedText.map { "\($0) (\(number))" } ?? "deleted (\(number))"
            }
        }
    }

    func end() async throws {
        guard let subscriber = state.withLock({ $0.subscriber }) else { return }
        subscriber.cancel()
        _ = await subscriber.result
        try await context.within("no subscriber is left") { [subject] in
            try await subject.probe.waitForSubscribers(of: .messages, exactly: 0)
        }
    }
}

extension MessageEvent {
    fileprivate var id: MessageID {
        switch self {
        case .received(let message): message.id
        case .deleted(let id): id
        }
    }

    fileprivate var receivedID: MessageID? { if case .received(let message) = self { message.id } else { nil } }
    fileprivate var receivedText: String? { if case .received(let message) = self { message.text } else { nil } }
    fileprivate var deletedID: MessageID? { if case .deleted(let id) = self { id } else { nil } }
}
