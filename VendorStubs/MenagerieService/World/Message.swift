#if Sandbox
/// A message of the keepers' one conversation.
struct Message: Sendable, Hashable, Codable {
    let id: String
    /// The client's id before the message was acknowledged (v2).
    let localID: String?
    /// The position in the conversation, by arrival.
    let sequence: Int
    /// A user's id.
    let author: String
    let text: String
    /// The time by the sender's clock (v1) or the service's (v2).
    let sentAt: Timestamp
}

/// The conversation, by arrival.
struct MessageStore: Sendable {
    enum Event: Sendable, Hashable, Codable {
        case sent(Message)
        case deleted(id: String)
    }

    private(set) var messages: [Message] = []
    var log = EventLog<Event>()
    /// Whether v2 holds back its answers to senders.
    var holdsAnswers = false

    init() {}

    /// Creates the store by replaying events.
    init(replaying events: [(sequence: Int, event: Event)]) {
        log = EventLog(stored: events)
        for (_, event) in events {
            switch event {
            case .sent(let message): messages.append(message)
            case .deleted(let id): messages.removeAll { $0.id == id }
            }
        }
    }

    static let longestText = 4000

    static func validate(text: String) throws(Refusal) {
        guard !text.isEmpty, text.utf8.count <= longestText else {
            throw Refusal(.validation, "1 to \(longestText) bytes", field: "text")
        }
    }

    /// Adds a message under the client's id, or a new one.
    @discardableResult
    mutating func add(
        id: String? = nil,
        localID: String? = nil,
        author: String,
        text: String,
        at moment: Timestamp
    ) throws(Refusal) -> Message {
        let sequence = log.last + 1
        let id = id ?? "m-\(sequence)"
        guard !messages.contains(where: { $0.id == id }) else {
            throw Refusal(.conflict, "a message with that id exists", field: "id")
        }
        let message = Message(
            id: id,
            localID: localID,
            sequence: sequence,
            author: author,
            text: text,
            sentAt: moment
        )
        messages.append(message)
        log.append(.sent(message))
        return message
    }

    /// Returns an author's message with a client's id (v2).
    func message(localID: String, author: String) -> Message? {
        messages.first { $0.localID == localID && $0.author == author }
    }

    /// Deletes a message; returns false if there is none.
    mutating func delete(_ id: String) -> Bool {
        guard let position = messages.firstIndex(where: { $0.id == id }) else { return false }
        messages.remove(at: position)
        log.append(.deleted(id: id))
        return true
    }

    /// The messages in v1's order: by the senders' clocks, the latest first.
    var newestFirst: [Message] { messages.sorted { ($1.sentAt, $1.sequence) < ($0.sentAt, $0.sequence) } }
}
#endif
