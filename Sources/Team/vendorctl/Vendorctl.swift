#if Sandbox
import CofferdamTool

/// The team's tool. It checks Sanctuary's adapters and fake against the contract, and compares them with each other.
@main
enum Vendorctl: TeamTool {
    static let name = "vendorctl"

    static func tooling() throws -> Tooling { try sanctuaryTooling() }
}
#else
import CofferdamSupport

@main
enum Vendorctl {
    static func main() { MissingTrait("Example").end() }
}
#endif
