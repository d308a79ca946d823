#if Sandbox
import ArgumentParser
import SanctuaryApp
import SanctuaryDomain

struct AccessoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accessories",
        abstract: "List the Bluetooth accessories in reach.",
        discussion: """
            EXAMPLES
              sanctuary accessories
              sanctuary accessories --watch
              sanctuary accessories --watch --json | jq -c .active
            """
    )

    @Flag(help: "Keep printing changes until Ctrl-C; with --json, one document per line.")
    var watch = false

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            guard watch else {
                let accessories = try await features.accessories.accessories().all
                return try output.show(accessories.map(AccessoryOutput.init)) { AccessoryOutput.table(accessories, $0) }
            }
            var before: [Accessory]?
            for try await state in features.accessories.watch() {
                let change = AccessoryChange(from: before, to: state)
                try output.showLines(AccessoryStateOutput(state)) { change.lines($0) }
                before = state.all
            }
        }
    }
}
#endif
