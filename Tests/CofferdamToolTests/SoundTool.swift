#if CommandLine
import ArgumentParser
import CofferdamContracts

@testable import CofferdamTool

extension [String] {
    /// Returns the exit code of a tool that is called with these arguments.
    func exitCode<Tool: TeamTool>(of tool: Tool.Type) async -> Int32 {
        do {
            guard var command = try RootCommand<Tool>.parseAsRoot(self) as? any AsyncParsableCommand else {
                return -1
            }
            try await command.run()
            return 0
        } catch {
            return RootCommand<Tool>.exitCode(for: error).rawValue
        }
    }
}

func soundAdapters(version: String? = "1.0") -> [AdapterUnderTest<Fixture.Subject>] {
    [
        Fixture.adapter("v1").identified(as: AdapterIdentity(version: version, sdk: "1.9")),
        Fixture.adapter("v2", capabilities: ["sessionRefresh"])
            .identified(as: AdapterIdentity(version: version, sdk: "2.0")),
    ]
}

private let fake = Fixture.adapter("fake", capabilities: ["sessionRefresh"])
    .identified(as: AdapterIdentity(.fake, version: "1.0", sdk: "none"))

enum SoundTool: TeamTool {
    static let name = "sound"
    static func tooling() async throws -> Tooling {
        Tooling(
            rules: [
                Fixture.rules[0],
                Rule("GET-08", "cached", level: .optional, requires: ["sessionRefresh"]) { _, _ in [] },
            ],
            adapters: soundAdapters() + [fake],
            mutants: [Fixture.dropping],
            fixtures: .text("seed")
        )
    }
}
#endif
