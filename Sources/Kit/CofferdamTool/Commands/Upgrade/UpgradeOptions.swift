#if CommandLine
    import ArgumentParser
    import CofferdamUpgrade

    /// Where the upgrades are kept, and how they are shown.
    struct UpgradeOptions: ParsableArguments {
        @Flag(help: "Print JSON.")
        var json = false

        @Option(
            help: ArgumentHelp(
                "The directory in which the app keeps its upgrades (default: $\(Self.variable), or \(Self.directory)).",
                valueName: "directory"
            )
        )
        var state: String?

        @OptionGroup var fleet: FleetOptions

        func validate() throws {
            if state != nil, fleet.etcd != nil { throw ValidationError("Give --state or --etcd, not both.") }
            if state?.isEmpty == true { throw ValidationError("--state names no directory.") }
        }

        static let variable = "COFFERDAM_UPGRADE_STATE"
        static let directory = ".cofferdam/upgrade"

        /// - Throws: `ValidationError` for a server where there is no fleet; what opening throws.
        func open(_ upgrade: UpgradeTooling, mayCreate: Bool) async throws -> UpgradeControls {
            let environment = ToolEnvironment.current
            if let place = fleet.place {
                guard let open = upgrade.openFleet else { throw ValidationError("No fleet is described here.") }
                return UpgradeControls(storage: try await open(place), environment: environment)
            }
            let named = environment.variables[Self.variable, default: ""]
            let path = state ?? (named.isEmpty ? Self.directory : named)
            return UpgradeControls(storage: try await upgrade.openDirectory(path, mayCreate), environment: environment)
        }
    }

    /// One of the upgrades; it need not be named where there is one alone.
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

    /// One of the upgrades, or all if one says so: for what must be quick.
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
        /// - Throws: `ValidationError`.
        func chosen(_ names: [String]) throws -> [Capability] {
            do {
                return try capabilities(named: names)
            } catch {
                throw ValidationError("\(error)")
            }
        }
    }

    extension Tooling {
        /// - Throws: `ValidationError` where there is none.
        func theUpgrade(_ tool: String) throws -> UpgradeTooling {
            guard let upgrades, !upgrades.capabilities.isEmpty else {
                throw ValidationError("\(tool) describes no upgrade.")
            }
            return upgrades
        }
    }

#endif
