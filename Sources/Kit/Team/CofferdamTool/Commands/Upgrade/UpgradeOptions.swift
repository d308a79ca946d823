#if CommandLine
import ArgumentParser
import CofferdamUpgrade

/// The options for the place of the upgrades and for the output.
struct UpgradeOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The directory in which the app keeps its upgrades (default: $\(ServerOption.directoryVariable), or \(ServerOption.directory)).",
            valueName: "directory"
        )
    )
    var state: String?

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var server: ServerOption

    func validate() throws {
        let places = [
            state.map { _ in "--state" }, fleet.etcd.map { _ in "--etcd" }, server.server.map { _ in "--server" },
        ]
        let given = places.compactMap(\.self)
        if given.count > 1 { throw ValidationError("Give only one of \(given.joined(separator: " and ")).") }
        if state?.isEmpty == true { throw ValidationError("--state is empty.") }
    }

    /// The place of the upgrades, from the options and the environment.
    ///
    /// - Throws: `ValidationError` if the environment is ambiguous.
    func place(in environment: ToolEnvironment) throws -> UpgradePlace {
        if let place = fleet.place { return .fleet(place) }
        if let state { return .directory(state) }
        return try server.place(in: environment)
    }

    /// - Throws: `ValidationError` if a fleet is named and the tool has none; errors of opening.
    func open(_ upgrade: UpgradeTooling, mayCreate: Bool) async throws -> any UpgradeControls {
        let environment = ToolEnvironment.current
        switch try place(in: environment) {
        case .fleet(let place):
            guard let open = upgrade.openFleet else { throw ValidationError("This tool describes no fleet.") }
            return StoreControls(storage: try await open(place), environment: environment)
        case .directory(let path):
            return StoreControls(
                storage: try await upgrade.openDirectory(path, mayCreate),
                environment: environment
            )
        case .server(let address): return try ServerOption.controls(at: address, environment)
        }
    }
}

/// One of the upgrades, which need not be named if there is only one.
struct OneCapability: ParsableArguments {
    @Option(name: .shortAndLong, help: "The upgrade; required if there are several.")
    var capability: String?

    func choose(in upgrade: UpgradeTooling) throws -> UpgradeTooling.Capability {
        let chosen = try upgrade.chosen(capability.map { [$0] } ?? [])
        guard let first = chosen.first, chosen.count == 1 else {
            let names = chosen.map(\.name).joined(separator: ", ")
            throw ValidationError("Name one with --capability: \(names).")
        }
        return first
    }
}

/// Some of the upgrades, or all.
struct ManyCapabilities: ParsableArguments {
    @Option(name: .shortAndLong, help: "Only this upgrade; repeatable.")
    var capability: [String] = []
}

/// One of the upgrades, or all with `--all`, for changes that must be quick.
struct OneOrAllCapabilities: ParsableArguments {
    @OptionGroup var one: OneCapability

    @Flag(help: "All upgrades.")
    var all = false

    func validate() throws {
        if all, one.capability != nil { throw ValidationError("Give --capability or --all, not both.") }
    }

    func choose(in upgrade: UpgradeTooling) throws -> [UpgradeTooling.Capability] {
        all ? upgrade.capabilities : [try one.choose(in: upgrade)]
    }
}

extension UpgradeTooling {
    /// - Throws: `ValidationError` for an unknown name.
    func chosen(_ names: [String]) throws -> [Capability] {
        do {
            return try capabilities(named: names)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension Tooling {
    /// The tool's upgrades; those of the server if the tool names none itself.
    ///
    /// - Throws: `ValidationError` if there is no upgrade; errors of asking the server.
    func requiredUpgrade(_ tool: String, at place: UpgradePlace) async throws -> UpgradeTooling {
        guard let upgrades else { throw ValidationError("\(tool) describes no upgrade.") }
        guard upgrades.capabilities.isEmpty else { return upgrades }
        guard case .server(let address) = place else {
            throw ValidationError("\(tool) needs the upgrades' server: --server, or \(ServerOption.variable).")
        }
        return UpgradeTooling(try await ServerOption.upgrades(at: address, .current))
    }
}

#endif
