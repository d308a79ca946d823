import CofferdamContracts
import SettingsOperations
import SettingsPorts

/// The port's behaviour as a pure function. Random and concurrent programs run against both.
struct SettingsModel: StatefulModel {
    enum Command: Sendable, Hashable { case save(String, as: String), remove(String), read(String), names }
    enum Answer: Sendable, Hashable { case done, missing, title(String), names([String]) }

    let name = "settings"
    let initial: [String: String] = [:]
    let observing = [Command.names, .read("a"), .read("b")]

    func command(in state: [String: String], using random: inout SeededGenerator) -> Command {
        let name = Bool.random(using: &random) ? "a" : "b"
        return switch Int.random(in: 0..<6, using: &random) {
        case 0...2: .save("title \(Int.random(in: 0..<1_000, using: &random))", as: name)
        case 3: .remove(name)
        case 4: .names
        default: .read(name)
        }
    }

    func simpler(than command: Command) -> [Command] {
        if case .save(let title, let name) = command, !title.isEmpty { [.save("", as: name)] } else { [] }
    }

    func answer(to command: Command, in state: inout [String: String]) -> Answer {
        switch command {
        case .save(let title, let name): state[name] = title
        case .remove(let name): state[name] = nil
        case .read(let name): return state[name].map { .title($0) } ?? .missing
        case .names: return .names(state.keys.sorted())
        }
        return .done
    }

    func begin(_ subject: SettingsSubject, _ context: RuleContext) async -> any Settings {
        await subject.documents.removeAll()
        return subject.port
    }

    func perform(_ command: Command, in settings: any Settings) async throws -> Answer {
        switch command {
        case .save(let title, let name): try await settings.save(Profile(title: title), as: name)
        case .remove(let name): try await settings.remove(name)
        case .names: return .names(try await settings.names(after: nil, limit: 10).names)
        case .read(let name):
            do {
                return .title(try await settings.profile(named: name).title)
            } catch SettingsError.missing {
                return .missing
            }
        }
        return .done
    }

    static let operation = ModelledOperation(
        PortCall(SettingsOperations.save, at: .port),
        offByOne: { ($0.profile, $0.name == "a" ? "b" : "a") },
        programs: [ModelCheck(SettingsModel()).violations],
        histories: [LinearizabilityCheck(SettingsModel(), programs: 60).violations]
    )
}
