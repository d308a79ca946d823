import Cofferdam
import CofferdamContracts
import SanctuaryDomain

/// A model of the keepers' conversation: the user's own messages, those of others, deletions, and a subscriber's
/// events.
struct MessagesModel: StatefulModel {
    struct State: Sendable, Hashable {
        /// The texts, in order; nil where one was deleted.
        var messages: [String?] = []
        var isSubscribed = false
        /// The events expected since the last `readEvents`.
        var unread: [String] = []
    }

    enum Command: Sendable, Hashable {
        case send(String)
        case post(String)
        /// Deletes a message; its number is taken modulo the number of messages.
        case delete(Int)
        case subscribe
        /// Reads the subscriber's events since the last time, up to a marker message posted for this.
        case readEvents
        case list
        case listWhileUnavailable
    }

    let name = "messages"
    let initial = State()
    let observing = [Command.list]
    /// Whether to generate only commands that may overlap. Lists are then compared without order, because one vendor
    /// sorts by the senders' clocks.
    var isConcurrent = false

    func command(in state: State, using random: inout SeededGenerator) -> Command {
        let number = Int.random(in: 0..<4, using: &random)
        let lot = Int.random(in: 0..<10, using: &random)
        if isConcurrent { return lot < 6 ? .send("own \(number)") : .list }
        switch lot {
        case 0..<2: return .send("own \(number)")
        case 2..<4: return .post("another's \(number)")
        case 4..<6: return .delete(number)
        case 6: return .subscribe
        case 7..<9: return .readEvents
        default: return .listWhileUnavailable
        }
    }

    func simpler(than command: Command) -> [Command] {
        switch command {
        case .send(let text) where text != "own 0": [.send("own 0")]
        case .post(let text) where text != "another's 0": [.post("another's 0")]
        case .delete(let number) where number > 0: [.delete(0)]
        case .listWhileUnavailable: [.list]
        default: []
        }
    }

    func answer(to command: Command, in state: inout State) -> ModelAnswer {
        switch command {
        case .send(let text), .post(let text):
            state.messages.append(text)
            if state.isSubscribed { state.unread.append("\(text) (\(state.messages.count))") }
            return .done
        case .delete(let number):
            guard let index = state.messages.indices.filter({ state.messages[$0] != nil }).at(number) else {
                return .nothing
            }
            let text = state.messages[index] ?? ""
            state.messages[index] = nil
            let received = "\(text) (\(index + 1))"
            if state.unread.contains(received) {
                // A subscriber need not receive a message that was deleted before it was read.
                state.unread.removeAll { $0 == received }
            } else if state.isSubscribed {
                state.unread.append("deleted (\(index + 1))")
            }
            return .done
        case .subscribe:
            state.isSubscribed = true
            return .done
        case .readEvents:
            guard state.isSubscribed else { return .nothing }
            defer { state.unread = [] }
            state.messages.append(MessagesSession.marker)
            return .texts(state.unread)
        case .list: return listed(state.messages.compactMap { $0 })
        case .listWhileUnavailable: return .failed(.unavailable)
        }
    }

    func begin(_ subject: SanctuarySubject, _ context: RuleContext) async throws -> MessagesSession {
        try await subject.probe.reset(.empty)
        try await subject.signIn()
        return MessagesSession(subject, context)
    }

    func perform(_ command: Command, in session: MessagesSession) async throws -> ModelAnswer {
        let (messages, probe) = (session.subject.services.messages, session.subject.probe)
        return try await ModelAnswer {
            switch command {
            case .send(let text):
                session.add(try await messages.send(MessageDraft(text: text, key: session.key())).id)
                return .done
            case .post(let text):
                session.add(try await probe.postMessage(author: "kenji", text: text).id)
                return .done
            case .delete(let number):
                guard let id = session.remove(number) else { return .nothing }
                try await probe.deleteMessage(id)
                return .done
            case .subscribe:
                try await session.subscribe()
                return .done
            case .readEvents: return try await session.readEvents().map { .texts($0) } ?? .nothing
            case .list: return listed(try await messages.messages(PageRequest()).items.map(\.text))
            case .listWhileUnavailable:
                return try await session.subject.answering(.messages, with: 503) {
                    .texts(try await messages.messages(PageRequest()).items.map(\.text))
                }
            }
        }
    }

    private func listed(_ texts: [String]) -> ModelAnswer { .texts(isConcurrent ? texts.sorted() : texts) }

    func end(_ session: MessagesSession) async throws { try await session.end() }
}
