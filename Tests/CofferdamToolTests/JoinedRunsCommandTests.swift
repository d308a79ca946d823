#if CommandLine
import CofferdamContracts
import Foundation
import Testing
import TestSupport

@testable import CofferdamTool

/// `can-upgrade` with the runs of two builds of which each has one live adapter.
@Suite struct JoinedRunsCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "runs-\(UUID().uuidString)")

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    private func write(_ name: String, by tool: (some TeamTool).Type, _ filter: String...) async -> String {
        let file = path(name)
        _ = await (["contracts", "--json", "--report", "json=\(file)"] + filter).exitCode(of: tool)
        return file
    }

    @Test func `either build judges both runs, whose adapters it does not all have`() async throws {
        defer { removeFolder(folder.path) }
        let old = await write("v1.json", by: OldBuild.self)
        let new = await write("v2.json", by: NewBuild.self)
        let question = ["can-upgrade", "--json", "--run", old, "--run", new]
        #expect(await question.exitCode(of: OldBuild.self) == 0)
        #expect(await question.exitCode(of: NewBuild.self) == 0)
        // The order of the files gives the direction, unless options name it.
        #expect(await ["can-upgrade", "--run", new, "--run", old].exitCode(of: OldBuild.self) == 1)
        let named = ["can-upgrade", "--run", new, "--run", old, "--from", "v1", "--to", "v2"]
        #expect(await named.exitCode(of: OldBuild.self) == 0)
    }

    @Test func `names that are in no file and no description are wrong usage`() async throws {
        defer { removeFolder(folder.path) }
        let old = await write("v1.json", by: OldBuild.self)
        let new = await write("v2.json", by: NewBuild.self)
        let runs = ["can-upgrade", "--run", old, "--run", new]
        #expect(await (runs + ["--to", "v9"]).exitCode(of: OldBuild.self) == 64)
        #expect(await (runs + ["--from", "v2"]).exitCode(of: OldBuild.self) == 64)
        #expect(await ["can-upgrade", "--run", old].exitCode(of: OldBuild.self) == 64)
        #expect(await (runs + ["--run", path("none.json")]).exitCode(of: OldBuild.self) == 70)
    }

    @Test func `another contract, other fixtures, a partial run, or only one run leave it unknown`() async throws {
        defer { removeFolder(folder.path) }
        let old = await write("v1.json", by: OldBuild.self)
        let new = await write("v2.json", by: NewBuild.self)
        let others = [
            await write("grown.json", by: GrownBuild.self),
            await write("seeded.json", by: OtherwiseSeededBuild.self),
            await write("part.json", by: NewBuild.self, "--rule", "LIST-01"),
            await write("fake.json", by: NewBuild.self, "--adapter", "fake"),
        ]
        for other in others {
            #expect(
                await ["can-upgrade", "--run", old, "--run", other].exitCode(of: OldBuild.self) == 2,
                "\(other)"
            )
        }
        // Both runs are of the same contract, which is not that of the judging build.
        #expect(await ["can-upgrade", "--run", old, "--run", new].exitCode(of: GrownBuild.self) == 2)
        #expect(await ["can-upgrade", "--run", old, "--to", "v2"].exitCode(of: OldBuild.self) == 64)
    }
}

private func tooling(
    _ name: String,
    _ capabilities: Set<CapabilityTag> = [],
    more: [Rule<Fixture.Subject>] = [],
    seed: String = "seed"
) -> Tooling {
    let identity = AdapterIdentity(version: "1", sdk: "Vendor \(name)")
    return Tooling(
        rules: Fixture.rules + more,
        adapters: [
            Fixture.adapter(name, capabilities: capabilities).identified(as: identity),
            Fixture.adapter("fake").identified(as: AdapterIdentity(.fake, version: "1", sdk: "none")),
        ],
        fixtures: .text(seed)
    )
}

private enum OldBuild: TeamTool {
    static let name = "old"
    static func tooling() async throws -> Tooling { CofferdamToolTests.tooling("v1") }
}

private enum NewBuild: TeamTool {
    static let name = "new"
    static func tooling() async throws -> Tooling { CofferdamToolTests.tooling("v2", ["sessionRefresh"]) }
}

private enum GrownBuild: TeamTool {
    static let name = "grown"
    static func tooling() async throws -> Tooling {
        let more = Rule<Fixture.Subject>("GET-08", "cached", level: .optional) { _, _ in [] }
        return CofferdamToolTests.tooling("v2", ["sessionRefresh"], more: [more])
    }
}

private enum OtherwiseSeededBuild: TeamTool {
    static let name = "seeded"
    static func tooling() async throws -> Tooling {
        CofferdamToolTests.tooling("v2", ["sessionRefresh"], seed: "other")
    }
}
#endif
