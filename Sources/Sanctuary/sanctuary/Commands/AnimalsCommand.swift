public import ArgumentParser  // an enumeration of the app is an argument here
public import SanctuaryApp  // whose enumeration it is
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

    @Option(help: "Which of them.")
    var kind: AnimalKind = .all

    @Option(help: ArgumentHelp("Only those with this text in a name, letter case aside.", valueName: "text"))
    var find = ""

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            let listing = try await features.catalogue.animals(kind: kind, matching: find)
            try output.show(listing.animals.map(AnimalOutput.init)) { AnimalOutput.table(listing, $0) }
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
        try await service.withFeatures { features, output in
            let animal = try await features.catalogue.animal(AnimalID(id))
            try output.show(AnimalOutput(animal)) { AnimalOutput.table([animal], $0) }
        }
    }
}

extension AnimalKind: ExpressibleByArgument {}
