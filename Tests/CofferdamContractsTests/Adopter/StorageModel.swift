import CofferdamContracts

// snippet: model
struct StorageModel: StatefulModel {
    enum Command: Sendable, Hashable { case set(String, for: String), text(String), remove(String), keys }
    enum Answer: Sendable, Hashable { case done, missing, text(String), keys([String]) }

    let name = "storage"
    let initial: [String: String] = [:]
    let observing = [Command.keys, .text("a"), .text("b")]

    func command(in state: [String: String], using random: inout SeededGenerator) -> Command {
        let key = Bool.random(using: &random) ? "a" : "b"
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: .set("text \(state.count)", for: key)
        case 1: .remove(key)
        default: .text(key)
        }
    }

    func simpler(than command: Command) -> [Command] {
        switch command {
        case .set(let text, let key) where text != "": [.set("", for: key)]
        default: []
        }
    }

    func answer(to command: Command, in state: inout [String: String]) -> Answer {
        switch command {
        case .set(let text, let key): state[key] = text
        case .remove(let key): state[key] = nil
        case .text(let key): return state[key].map { .text($0) } ?? .missing
        case .keys: return .keys(state.keys.sorted())
        }
        return .done
    }

    func begin(_ subject: StorageSubject, _ context: RuleContext) async -> any Storage {
        await subject.empty()
        return subject.storage
    }

    func perform(_ command: Command, in storage: any Storage) async throws -> Answer {
        switch command {
        case .set(let text, let key): try await storage.set(text, for: key)
        case .remove(let key): try await storage.remove(key)
        case .keys: return .keys(try await storage.keys(after: nil, limit: 10).keys)
        case .text(let key):
            do {
                return .text(try await storage.text(for: key))
            } catch StorageError.missing {
                return .missing
            }
        }
        return .done
    }
}
// end

// snippet: programs
extension StorageModel {
    static let operation = ModelledOperation(
        PortCall(StorageOperations.remove, at: .storage),
        offByOne: { $0 == "a" ? "b" : "a" },
        programs: [ModelCheck(StorageModel()).violations],
        histories: [LinearizabilityCheck(StorageModel(), programs: 30).violations]
    )
}
// end
