#if Sandbox
import Foundation
import Testing

/// Creates an adopter's package, runs `new-port` in it, and compiles the result against the modules of this build,
/// links it with its objects, and runs it: first as generated, then with bodies.
@Suite("A port that new-port has made")
struct NewPortTests {
    @Test("It compiles, its rules fail until there are bodies, and pass then; each mutant is killed")
    func port() async throws {
        let package = try NewPortPackage()
        defer { package.remove() }
        let made = try await package.newPort()
        try #require(made.isSuccess, "\(made.text)")
        #expect(made.text.contains("exclusive"))

        let lint = try await Command.run(
            "swift",
            ["format", "lint", "--strict", "--recursive", "."],
            in: package.folder
        )
        #expect(lint.isSuccess, "\(lint.text)")

        let bare = try await package.run()
        #expect(bare.rows.count > 60)
        #expect(bare.rows.contains { $0.contains("VALUE-01 of forecast.isRaining on v1") })
        #expect(bare.rows.filter { $0.hasPrefix("passed") } == [])
        // Whatever a rule makes of the error, its case says which part to write first.
        let reasons = Set(
            bare.rows.compactMap { $0.firstMatch(of: /step \d+: .* is not written yet/).map { "\($0.0)" } }
        )
        let unexplained = bare.rows.filter { !$0.contains("is not written yet") && !$0.hasPrefix("skipped") }
        #expect(unexplained == [])
        #expect(reasons.count < 40 && reasons.contains { $0.hasPrefix("step 2: FakeWeatherVendor.") }, "\(reasons)")
        #expect(bare.moves.count == 2)
        let toPrepare = /: step \d+: V1WeatherVendor.prepareCalls\(\) is not written yet/
        #expect(bare.moves.allSatisfy { $0.contains(toPrepare) })

        try package.writeBodies()
        let complete = try await package.run()
        #expect(complete.rows.count == bare.rows.count)
        let notPassed = complete.rows.filter { !$0.hasPrefix("passed") && !$0.hasPrefix("skipped") }
        #expect(notPassed == [])
        #expect(complete.rows.filter { $0.hasPrefix("passed") }.count >= 60)
        // The rules of time, errors and cancellation cover writes as well as reads.
        for operation in ["measure", "forecast", "cities", "stations"] {
            for rule in ["CANC-01", "CANC-02", "CANC-08", "ERR-01", "ERR-04", "TIME-01", "TIME-05", "TIME-08"] {
                for side in ["v1", "v2", "fake"] {
                    let row = "passed \(rule) of \(operation) on \(side)"
                    #expect(complete.rows.contains { $0.hasPrefix(row) }, "\(row)")
                }
                // A mutant that hangs is tried only with the first call.
                let hangs = ["CANC-08", "TIME-01"].contains(rule)
                let killed = "killed \(rule) of \(hangs ? "forecast" : operation)"
                #expect(complete.mutants.contains { $0.hasPrefix(killed) }, "\(killed)")
            }
        }
        #expect(complete.rows.contains { $0.hasPrefix("passed VALUE-01 of forecast.isRaining on v2") })
        #expect(complete.mutants.contains { $0.hasPrefix("killed VALUE-01 of forecast.isRaining") })
        #expect(complete.problems == [])
        #expect(complete.moves == ["fake: done", "v2: done"])
        #expect(complete.mutants.count > 20)
        #expect(complete.mutants.filter { !$0.hasPrefix("killed ") && !$0.hasPrefix("skipped ") } == [])
    }

    @Test(
        "The files for an odd protocol compile too: overloads, closures, keywords, package access, access on imports"
    )
    func oddPort() async throws {
        let package = try NewPortPackage()
        defer { package.remove() }
        try package.write(NewPortBodies.oddPort, to: "Sources/App/Weather.swift")
        try package.write("// InternalImportsByDefault\n", to: "Package.swift")
        let made = try await package.newPort(exclusive: "default,map")
        try #require(made.isSuccess, "\(made.text)")
        #expect(try package.read("Sources/WeatherTable/WeatherOperations.swift").contains("package import App\n"))
        let lint = try await Command.run(
            "swift",
            ["format", "lint", "--strict", "--recursive", "."],
            in: package.folder
        )
        #expect(lint.isSuccess, "\(lint.text)")
        let options = [
            "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
            "MemberImportVisibility",
        ]
        let bare = try await package.run(options)
        #expect(bare.rows.count > 10)
        #expect(bare.rows.filter { $0.hasPrefix("passed") } == [])
    }

    @Test("If a file exists, it is named and kept, and nothing at all is written")
    func existing() async throws {
        let package = try NewPortPackage()
        defer { package.remove() }
        try package.write("// mine\n", to: "Sources/WeatherV1/V1Weather.swift")
        let made = try await package.newPort()
        #expect(!made.isSuccess)
        #expect(made.text.contains("Sources/WeatherV1/V1Weather.swift"))
        #expect(
            try package.files() == [
                "Sources/App/Values.swift", "Sources/App/Weather.swift", "Sources/WeatherV1/V1Weather.swift",
            ]
        )
        #expect(try package.read("Sources/WeatherV1/V1Weather.swift") == "// mine\n")
    }

    @Test("A dry run prints the files and writes none; what cannot be read is named by file and line")
    func dryRun() async throws {
        let package = try NewPortPackage()
        defer { package.remove() }
        let made = try await package.newPort(["--dry-run"])
        #expect(made.isSuccess)
        #expect(made.text.contains("// Sources/WeatherContract/WeatherRules.swift"))
        #expect(made.text.contains(".testTarget("))
        #expect(try package.files() == ["Sources/App/Values.swift", "Sources/App/Weather.swift"])

        let spoilt = NewPortBodies.port.replacing(
            "func stations() async throws",
            with: "var name: String { get }\n  func stations() async"
        )
        try package.write(spoilt, to: "Sources/App/Weather.swift")
        let refused = try await package.newPort()
        #expect(!refused.isSuccess)
        #expect(refused.text.contains("Sources/App/Weather.swift:15: 'name' is a property"))
        #expect(refused.text.contains("Sources/App/Weather.swift:16: 'stations' is not 'async throws'"))
        #expect(try package.files() == ["Sources/App/Values.swift", "Sources/App/Weather.swift"])
    }
}

/// A package in a temporary folder.
private struct NewPortPackage {
    let folder = FileManager.default.temporaryDirectory.appending(path: "new-port-\(UUID())")
    private let compiler: Compiler

    init() throws {
        compiler = try Compiler(of: "CofferdamToolTests").outside(named: "Snippet")
        try write("// swift-tools-version: 6.2\n", to: "Package.swift")
        try write(NewPortBodies.port, to: "Sources/App/Weather.swift")
        try write(NewPortBodies.values, to: "Sources/App/Values.swift")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func newPort(exclusive: String = "measure", _ options: [String] = []) async throws -> Command.Outcome {
        let tool = House.products.appending(path: "cofferdam").path(percentEncoded: false)
        let arguments = ["new-port", "Weather", "--file", "Sources/App/Weather.swift", "--exclusive", exclusive]
        return try await Command.run(path: tool, arguments + options, in: folder)
    }

    func write(_ text: String, to path: String) throws {
        let file = folder.appending(path: path)
        let parent = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    func read(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// Returns the Swift files except the manifest, by path.
    func files() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        return names.filter { $0.hasSuffix(".swift") && $0 != "Package.swift" }.sorted()
    }

    func writeBodies() throws {
        for side in ["V1", "V2", "Fake"] {
            try write(NewPortBodies.adapter(side), to: "Sources/Weather\(side)/\(side)Weather.swift")
        }
        try write(NewPortBodies.vendor, to: "Sources/SkyVendor/Sky.swift")
        try write(NewPortBodies.stands, to: "Sources/WeatherStand/WeatherStands.swift")
        let upgrade = try read("Sources/WeatherUpgrade/WeatherUpgrade.swift")
        let opening = upgrade.replacing("Weather() }", with: "Weather(sky: Sky(), clock: ContinuousClock()) }")
        try write("import SkyVendor\n" + opening, to: "Sources/WeatherUpgrade/WeatherUpgrade.swift")
        let path = "Sources/WeatherContract/WeatherFixtures.swift"
        var fixtures = try read(path)
        for (bare, written) in NewPortBodies.fixtures {
            try #require(fixtures.contains(bare), "\(bare)")
            fixtures = fixtures.replacing(bare, with: written)
        }
        try write(fixtures, to: path)
    }

    /// The outcomes of the rules and the mutants.
    struct Run {
        var rows: [String]
        var problems: [String]
        var mutants: [String]
        var moves: [String]

        init(_ text: String) {
            func lines(_ mark: String) -> [String] {
                text.split(separator: "\n").filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
            }
            (rows, problems, mutants) = (lines("row: "), lines("problem: "), lines("mutant: "))
            moves = lines("move: ")
        }
    }

    /// Compiles each target as a separate module, the tests as a program, and runs it.
    func run(_ options: [String] = []) async throws -> Run {
        try write(NewPortBodies.runner, to: "Runner/Runner.swift")
        // The tests of the upgrade as they are, without Testing.
        let walk = try read("Tests/WeatherContractTests/WeatherUpgradeTests.swift")
            .replacing("import Testing\n", with: "").replacing("@Suite ", with: "").replacing("@Test ", with: "")
        try write(walk, to: "Runner/WeatherUpgradeTests.swift")
        let build = folder.appending(path: "build")
        var objects: [URL] = []
        let order = [
            ["App", "SkyVendor"], ["WeatherTable"], ["WeatherV1", "WeatherV2", "WeatherFake", "WeatherContract"],
            ["WeatherStand", "WeatherUpgrade"],
        ]
        for modules in order {
            objects += try await withThrowingTaskGroup { group in
                for module in modules {
                    let sources = try sources(below: "Sources/\(module)")
                    if sources.isEmpty { continue }
                    group.addTask { try await compiler.compile(sources, as: module, in: build, options) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let tests = try await compiler.check(
            try sources(below: "Tests/WeatherContractTests"),
            [
                "-I", build.path(percentEncoded: false), "-module-name", "WeatherContractTests", "-package-name",
                "adopter",
            ] + options
        )
        try #require(tests.isSuccess, "\(tests.text)")
        objects.append(
            try await compiler.compile(try sources(below: "Runner"), as: "Runner", in: build, options)
        )
        let program = build.appending(path: "runner")
        let kit = [
            "Cofferdam", "CofferdamSupport", "CofferdamState", "CofferdamPages", "CofferdamContracts", "CofferdamGate",
            "CofferdamUpgrade", "GRDB",
        ]
        try await compiler.link(objects, with: kit, to: program)
        let run = try await Command.run(path: program.path(percentEncoded: false), [], in: folder)
        try #require(run.isSuccess, "\(run.text.suffix(4000))")
        return Run(run.text)
    }

    private func sources(below path: String) throws -> [URL] {
        let place = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else { return [] }
        return try House.files(below: place).filter { $0.pathExtension == "swift" }
    }
}
#endif
