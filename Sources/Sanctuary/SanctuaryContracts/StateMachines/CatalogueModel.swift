import Cofferdam
import CofferdamContracts
import SanctuaryDomain

/// A model of the catalogue: the vendor's staff add animals and move them to other groups, and the app reads them.
struct CatalogueModel: StatefulModel {
    struct State: Sendable, Hashable {
        var animals: [String] = []
    }

    enum Command: Sendable, Hashable {
        case add(String)
        /// Moves an animal to another group; its number is taken modulo the number of animals.
        case regroup(Int, String)
        case get(Int)
        case getUnknown
        case list
        case listWhileUnavailable
    }

    final class Session: Sendable {
        let subject: SanctuarySubject
        let ids = Mutex<[AnimalID]>([])

        init(_ subject: SanctuarySubject) { self.subject = subject }
    }

    let name = "catalogue"
    let initial = State()
    let observing = [Command.list]

    func command(in state: State, using random: inout SeededGenerator) -> Command {
        let number = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return .add("animal \(number)")
        case 4..<6: return .regroup(number, "group \(number)")
        case 6..<8: return .get(number)
        case 8: return .getUnknown
        default: return .listWhileUnavailable
        }
    }

    func simpler(than command: Command) -> [Command] {
        switch command {
        case .regroup(let number, _) where number > 0: [.regroup(0, "group 0"), .list]
        case .get(let number) where number > 0: [.get(0), .list]
        case .add(let name) where name != "animal 0": [.add("animal 0")]
        case .listWhileUnavailable: [.list]
        default: []
        }
    }

    func answer(to command: Command, in state: inout State) -> ModelAnswer {
        switch command {
        case .add(let name):
            state.animals.append("\(name), mammal")
            return .done
        case .regroup(let number, let group):
            guard let animal = state.animals.at(number) else { return .nothing }
            let name = animal.prefix { $0 != "," }
            state.animals[number % state.animals.count] = "\(name), \(group)"
            return .done
        case .get(let number): return state.animals.at(number).map { .texts([$0]) } ?? .nothing
        case .getUnknown: return .failed(.notFound)
        case .list: return .texts(state.animals)
        case .listWhileUnavailable: return .failed(.unavailable)
        }
    }

    func begin(_ subject: SanctuarySubject, _ context: RuleContext) async throws -> Session {
        try await subject.probe.reset(.empty)
        return Session(subject)
    }

    func perform(_ command: Command, in session: Session) async throws -> ModelAnswer {
        let (catalogue, probe) = (session.subject.services.catalogue, session.subject.probe)
        let ids = session.ids.withLock { $0 }
        return try await ModelAnswer {
            switch command {
            case .add(let name):
                let fixture = AnimalFixture(name: name, group: "mammal", legs: 4, heads: 1)
                let id = try await probe.addAnimal(fixture)
                session.ids.withLock { $0.append(id) }
                return .done
            case .regroup(let number, let group):
                guard let id = ids.at(number) else { return .nothing }
                try await probe.setGroup(group, of: id)
                return .done
            case .get(let number):
                guard let id = ids.at(number) else { return .nothing }
                return .texts([Self.text(try await catalogue.animal(id))])
            case .getUnknown:
                return .texts([Self.text(try await catalogue.animal(AnimalID("987654321")))])
            case .list:
                return .texts(try await catalogue.animals(AnimalsRequest()).items.map(Self.text))
            case .listWhileUnavailable:
                return try await session.subject.answering(.animals, with: 503) {
                    .texts(try await catalogue.animals(AnimalsRequest()).items.map(Self.text))
                }
            }
        }
    }

    private static func text(_ animal: Animal) -> String { "\(animal.name), \(animal.group)" }
}
