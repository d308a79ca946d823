#if CommandLine
// snippet: tool
import CofferdamContracts
import CofferdamTool

@main enum MyTool: TeamTool {
    static let name = "mytool"

    static func tooling() async throws -> Tooling {
        Tooling(
            rules: ShelfContract.rules,
            adapters: [.v1, .v2, .fake],
            fixtures: .text("\(ShelfContract.seed)"),
            scenarios: shelfRehearsal,
            tapes: shelfTapes,
            upgrades: UpgradeTooling([.init("shelf", plan: try shelfPlan())])
        )
    }
}
// end
#else
import CofferdamSupport

@main enum MyTool {
    static func main() { MissingTrait("CommandLine").end() }
}
#endif
