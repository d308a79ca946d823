import ArgumentParser
import SanctuaryDomain

struct AccessoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessories",
        abstract: "List the Bluetooth accessories in reach.",
        discussion: """
            EXAMPLES
              sanctuary accessories
              sanctuary accessories --watch
              sanctuary accessories --watch --json | jq -c .event
            """
    )

    @Flag(help: "Go on with every change, until Ctrl-C; with --json a document on each line.")
    var watch = false

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withServices { services, output in
            guard watch else {
                let accessories = try await services.accessories.accessories()
                return try output.show(accessories.map(AccessoryOutput.init)) { AccessoryOutput.table(accessories, $0) }
            }
            for try await event in services.accessories.events() {
                try output.showLine(AccessoryEventOutput(event)) { AccessoryEventOutput.line(event, $0) }
            }
        }
    }
}
