/// A message of the keepers' one conversation.
struct Message: Sendable, Hashable, Codable {
    let id: String
    /// What the client called it before it was acknowledged (v2).
    let localID: String?
    /// Its place in the conversation, by arrival.
    let sequence: Int
    /// A user's id.
    let author: String
    let text: String
    /// By the clock of who sent it (v1) or of the service (v2).
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
    /// Whether v2 keeps senders waiting for their answer.
    var holdsAnswers = false

    init() {}

    /// As all that happened has made it.
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

    /// Adds a message under an id of the client's, or of the service's if there is none.
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
            throw Refusal(.conflict, "a message of that id exists", field: "id")
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

    /// What an author wrote under a name of the client's (v2).
    func message(localID: String, author: String) -> Message? {
        messages.first { $0.localID == localID && $0.author == author }
    }

    /// False if there is no such message.
    mutating func delete(_ id: String) -> Bool {
        guard let position = messages.firstIndex(where: { $0.id == id }) else { return false }
        messages.remove(at: position)
        log.append(.deleted(id: id))
        return true
    }

    /// As v1 shows them: by the senders' clocks, the latest first.
    var newestFirst: [Message] { messages.sorted { ($1.sentAt, $1.sequence) < ($0.sentAt, $0.sequence) } }
}
