import Testing

@testable import CofferdamTool

@Suite("The table of the wall")
struct WallTableTests {
    @Test("Each kind of line is read, over several lines too, and comments are left out")
    func reading() {
        let table = WallTable(
            """
            # Who may import what.
            strict
            system: Foundation  # and nothing else

            vendor Sky SkyCore from sky-sdk sky-core: V1
                V1Tests  # its tests
            only V1: App
            target App: Domain
            pure Domain:
            exports App: Domain
            """
        )
        #expect(table.problems == [])
        #expect(table.isStrict)
        #expect(table.system.map(\.text) == ["Foundation"])
        #expect(table.guards.map { $0.modules.map(\.text) } == [["Sky", "SkyCore"], ["V1"]])
        #expect(table.guards.map { $0.packages.map(\.text) } == [["sky-sdk", "sky-core"], []])
        #expect(table.guards.map { $0.targets.map(\.text) } == [["V1", "V1Tests"], ["App"]])
        #expect(table.guards.map(\.isVendor) == [true, false])
        #expect(table.guards[0].targets[1].line == 6)
        #expect(table.rows.map(\.target.text) == ["App", "Domain"])
        #expect(table.rows.map { $0.modules.map(\.text) } == [["Domain"], []])
        #expect(table.rows.map(\.isPure) == [false, true])
        #expect(table.exports.map(\.target.text) == ["App"])
        #expect(table.exports.map { $0.modules.map(\.text) } == [["Domain"]])
    }

    @Test(
        "Each mistake is reported with its line",
        arguments: [
            (
                "vendor A: B\n\nvendr C: D", 3,
                "unknown key 'vendr': the keys are vendor, only, system, target, pure, exports and strict"
            ),
            ("target A B", 1, "'target' needs one colon, before the list"),
            ("target A: B: C", 1, "'target' needs one colon, before the list"),
            ("target: B", 1, "'target' needs one target before its colon"),
            ("pure A B: C", 1, "'pure' needs one target before its colon"),
            ("vendor: B", 1, "'vendor' needs a module before its colon"),
            ("vendor from p: B", 1, "'vendor' needs a module before its colon"),
            ("vendor A from: B", 1, "'from' needs a package after it"),
            ("system A: B", 1, "'system' names nothing before its colon"),
            ("strict: A", 1, "'strict' must stand alone"),
            ("target A: B, C", 1, "'B,' is not a name; names are separated by spaces"),
            ("  target A: B", 1, "a line that begins with a space continues another, and there is none above"),
            ("target A: B\npure A: C", 2, "the row of 'A' is already in line 1"),
            ("vendor A: B\nonly A: C", 2, "the line of 'A' is already in line 1"),
            ("system: A\nsystem: B", 2, "'system' is already in line 1"),
            ("target A:\n  B\n  B", 3, "'B' is named twice"),
            ("exports A B: C", 1, "'exports' needs one target before its colon"),
            ("exports A: B\nexports A: C", 2, "the line 'exports' of 'A' is already in line 1"),
            ("only B: A\nexports A: B", 2, "line 1 says who may import 'B': a row must not name it"),
            ("target A:\n  B\nvendor B: A", 2, "line 3 says who may import 'B': a row must not name it"),
        ]
    )
    func problems(text: String, line: Int, problem: String) {
        #expect(WallTable(text).problems == [SourceProblem(line, problem)])
    }

    @Test("All problems are reported at once, from top to bottom")
    func everyProblem() {
        let table = WallTable("target A: B\ntarget A: B\nvendr C: D\nvendor B: A")
        #expect(table.problems.map(\.line) == [1, 2, 3])
    }
}
