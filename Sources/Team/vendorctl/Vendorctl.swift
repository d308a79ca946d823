import CofferdamTool

/// The team's tool: Sanctuary's ports, adapters and fake, held against their contract and each other.
@main
enum Vendorctl: TeamTool {
    static let name = "vendorctl"

    static func tooling() throws -> Tooling { try sanctuaryTooling() }
}
