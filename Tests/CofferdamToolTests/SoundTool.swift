#if CommandLine
import ArgumentParser
import Cofferdam
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

/// Its operation has a rule of GET, but none of TIME.
enum UncoveredTool: TeamTool {
    static let name = "uncovered"
    static func tooling() async throws -> Tooling {
        Tooling(
            rules: [
                Rule<Fixture.Subject>("GET-01", "reads") { _, _ in [] }.of("look"),
                Rule<Fixture.Subject>("TIME-01", "ends") { _, _ in [] }.of("put"),
            ],
            adapters: soundAdapters(),
            coverage: ContractCoverage(operations: [
                .init(PortOperation<Fixture.Subject, String, String>("look", .read) { _, text in text })
            ])
        )
    }
}
#endif
