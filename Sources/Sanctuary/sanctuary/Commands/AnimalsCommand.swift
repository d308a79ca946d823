#if Sandbox
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

    @Option(help: "The animals to list.")
    var kind: AnimalKind = .all

    @Option(help: ArgumentHelp("Only those with this text in a name, ignoring case.", valueName: "text"))
    var find = ""

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            let latest = try await features.catalogue.latest(kind: kind, matching: find)
            try output.show(latest.value.animals.map(AnimalOutput.init)) { AnimalOutput.table(latest.value, $0) }
            try latest.throwIfOld()
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

    @Argument(help: "The animal's id, as shown in the list.")
    var id: String

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            let latest = try await features.catalogue.latest(AnimalID(id))
            try output.show(AnimalOutput(latest.value)) { AnimalOutput.table([latest.value], $0) }
            try latest.throwIfOld()
        }
    }
}

extension AnimalKind: ExpressibleByArgument {}
#endif
