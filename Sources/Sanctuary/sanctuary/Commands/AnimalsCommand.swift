import ArgumentParser
import SanctuaryApp
import SanctuaryDomain

struct AnimalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "animals",
        abstract: "List the animals.",
        discussion: """
            EXAMPLES
              sanctuary animals
              sanctuary animals --kind mythological --language de
              sanctuary animals --find frog --json | jq -r '.[].id'
            """
    )

    @Option(help: "Which: mythological, regular or all.")
    var kind: Kind = .all

    @Option(help: ArgumentHelp("Only those with this text in a name, letter case aside.", valueName: "text"))
    var find: String?

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withServices { services, output in
            let animals = try await Lists.animals(of: services, kind: kind, find: find)
            try output.show(animals.map(AnimalOutput.init)) { AnimalOutput.table(animals, $0) }
        }
    }
}

struct AnimalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "animal",
        abstract: "Show one animal.",
        discussion: """
            EXAMPLES
              sanctuary animal 42
              sanctuary animal 42 --json
            """
    )

    @Argument(help: "The animal's id, as the list has it.")
    var id: String

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withServices { services, output in
            let animal = try await services.catalogue.animal(AnimalID(id))
            try output.show(AnimalOutput(animal)) { AnimalOutput.table([animal], $0) }
        }
    }
}
