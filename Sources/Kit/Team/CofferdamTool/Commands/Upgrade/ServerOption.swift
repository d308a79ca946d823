#if CommandLine
import ArgumentParser
import CofferdamUpgrade

/// The server that holds the upgrades.
struct ServerOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cofferdam-server that holds the upgrades (default: $\(Self.variable), if set).",
            valueName: "url"
        )
    )
    var server: String?

    static let variable = "COFFERDAM_SERVER"
    static let directoryVariable = "COFFERDAM_UPGRADE_STATE"
    static let directory = ".cofferdam/upgrade"

    func validate() throws {
        if server?.isEmpty == true { throw ValidationError("--server is empty.") }
    }

    /// The server or the directory that this option and the environment name.
    ///
    /// - Throws: `ValidationError` if the environment names both.
    func place(in environment: ToolEnvironment) throws -> UpgradePlace {
        if let server { return .server(server) }
        let address = environment.variables[Self.variable, default: ""]
        let path = environment.variables[Self.directoryVariable, default: ""]
        if address.isEmpty { return .directory(path.isEmpty ? Self.directory : path) }
        guard path.isEmpty else {
            throw ValidationError(
                "\(Self.variable) and \(Self.directoryVariable) are both set: choose one with --server or --state."
            )
        }
        return .server(address)
    }
}

extension ServerOption {
    /// - Throws: `UpgradeStoreError` for an invalid address, without a token, or in a build without access to
    ///   servers.
    static func controls(at address: String, _ environment: ToolEnvironment) throws -> any UpgradeControls {
        #if Fleet
        return try ServerControls(address, environment: environment)
        #else
        throw UpgradeStoreError(
            .unavailable,
            "this build cannot ask a server: build with the trait Fleet",
            subject: "--server"
        )
        #endif
    }

    /// The upgrades that a server has.
    ///
    /// - Throws: as ``controls(at:_:)``, and errors of asking it.
    static func upgrades(
        at address: String,
        _ environment: ToolEnvironment
    ) async throws -> [UpgradeTooling.Capability] {
        #if Fleet
        return try await ServerControls(address, environment: environment).upgradesThere()
        #else
        _ = try controls(at: address, environment)
        return []
        #endif
    }
}
#endif
