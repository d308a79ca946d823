import CofferdamContracts
import SanctuaryDomain

/// A model of the accessories near the keeper, of which at most one is active.
struct AccessoriesModel: StatefulModel {
    struct State: Sendable, Hashable {
        var names = (0..<3).map { "accessory \($0)" }
        var links = [Accessory.Link](repeating: .available, count: 3)
    }

    enum Command: Sendable, Hashable {
        case activate(Int)
        case release(Int)
        case activateUnknown
        /// Changes an accessory's name at the vendor.
        case rename(Int, String)
        case list
        case listWhileUnavailable
    }

    let name = "accessories"
    let initial = State()
    let observing = [Command.list]
    /// Whether to generate only commands that may overlap. Lists may not: a read during an activation may see the
    /// accessory linked but not active yet.
    var isConcurrent = false

    func command(in state: State, using random: inout SeededGenerator) -> Command {
        let number = Int.random(in: 0..<3, using: &random)
        let lot = Int.random(in: 0..<10, using: &random)
        if isConcurrent { return lot < 6 ? .activate(number) : .release(number) }
        switch lot {
        case 0..<4: return .activate(number)
        case 4..<7: return .release(number)
        case 7: return .activateUnknown
        case 8: return .rename(number, "renamed \(number)")
        default: return .listWhileUnavailable
        }
    }

    func simpler(than command: Command) -> [Command] {
        switch command {
        case .activate(let number) where number > 0: [.activate(0)]
        case .release(let number) where number > 0: [.release(0)]
        case .rename(let number, _) where number > 0: [.rename(0, "renamed 0"), .list]
        case .listWhileUnavailable: [.list]
        default: []
        }
    }

    func answer(to command: Command, in state: inout State) -> ModelAnswer {
        switch command {
        case .activate(let number):
            for other in state.links.indices where state.links[other] == .active { state.links[other] = .linked }
            state.links[number] = .active
            return .done
        case .release(let number):
            state.links[number] = .available
            return .done
        case .activateUnknown: return .failed(.notFound)
        case .rename(let number, let name):
            state.names[number] = name
            return .done
        case .list: return .texts(zip(state.names, state.links).map { "\($0), \($1)" })
        case .listWhileUnavailable: return .failed(.unavailable)
        }
    }

    func begin(_ subject: SanctuarySubject, _ context: RuleContext) async throws -> SanctuarySubject {
        try await subject.probe.reset(.empty)
        for (number, name) in initial.names.enumerated() { try await put(number, name, subject) }
        return subject
    }

    func perform(_ command: Command, in subject: SanctuarySubject) async throws -> ModelAnswer {
        let accessories = subject.services.accessories
        return try await ModelAnswer {
            switch command {
            case .activate(let number):
                try await accessories.activate(id(number))
                return .done
            case .release(let number):
                try await accessories.release(id(number))
                return .done
            case .activateUnknown:
                try await accessories.activate(AccessoryID("unlinked"))
                return .done
            case .rename(let number, let name):
                try await put(number, name, subject)
                return .done
            case .list:
                return .texts(try await accessories.accessories().map(Self.text))
            case .listWhileUnavailable:
                return try await subject.answering(.accessories, with: 503) {
                    .texts(try await accessories.accessories().map(Self.text))
                }
            }
        }
    }

    private func id(_ number: Int) -> AccessoryID { AccessoryID("model-\(number)") }

    private func put(_ number: Int, _ name: String, _ subject: SanctuarySubject) async throws {
        guard let battery = Battery(percent: 50) else { return }
        try await subject.probe.updateAccessory(id(number), name: name, battery: battery)
    }

    private static func text(_ accessory: Accessory) -> String { "\(accessory.name), \(accessory.link)" }
}
