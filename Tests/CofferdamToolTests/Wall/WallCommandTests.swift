#if CommandLine && canImport(Subprocess)
import ArgumentParser
import Foundation
import Testing

@testable import CofferdamTool

@Suite("The command wall, over packages on disk")
struct WallCommandTests {
    @Test("A package that keeps its wall passes, with a minimal and with a strict table")
    func holds() async throws {
        let package = try PackageOnDisk()
        defer { package.remove() }
        for table in [PackageOnDisk.minimal, PackageOnDisk.strict] {
            try package.write(table, to: ".cofferdam-wall")
            let report = try await package.report()
            #expect(report.violations == [])
            #expect(report.targets == 4)
            #expect(report.text == "The wall holds: 4 imports in 4 files of 4 targets.\n")
            #expect(await package.exitCode() == 0)
        }
    }

    @Test(
        "Imports and dependencies that break the wall are found, with file and line; paths begin with the package's"
    )
    func breaks() async throws {
        let package = try PackageOnDisk()
        defer { package.remove() }
        try package.write(PackageOnDisk.minimal, to: ".cofferdam-wall")
        try package.write("import Domain\n#if DEBUG\nimport Sky\n#endif\n", to: "Sources/App/Deep/B.swift")
        try package.write("public import Sky\n", to: "Sources/SkyV1/B.swift")
        try package.write(
            PackageOnDisk.manifest.replacing("\"Domain\", \"SkyV1\"", with: "\"Domain\", \"SkyV1\",\n\"Sky\""),
            to: "Package.swift"
        )
        let report = try await package.report()
        let lines = [
            "Package.swift:9: App may not depend on Sky",
            "Sources/App/Deep/B.swift:3: App may not import Sky",
            "Sources/SkyV1/B.swift:1: a vendor's module is imported as public",
        ]
        #expect(report.text == lines.map { "\(package.path)/\($0)\n" }.joined())
        #expect(report.violations.map(\.target) == ["App", "App", "SkyV1"])
        #expect(report.violations.map(\.module) == ["Sky", "Sky", "Sky"])
        #expect(await package.exitCode() == 1)
        #expect(await package.exitCode("--json") == 1)
    }

    @Test("The document says what the lines say")
    func document() throws {
        var report = WallReport()
        report.violations = [WallViolation(path: "A.swift", line: 3, target: "App", module: "Sky", text: "no")]
        let json = String(decoding: try OutputFile.json(report), as: UTF8.self)
        #expect(json.contains("\"holds\" : false"))
        #expect(json.contains("\"line\" : 3"))
        #expect(try JSONDecoder().decode(WallReport.self, from: Data(json.utf8)) == report)
        report.violations = []
        (report.imports, report.files, report.targets) = (1, 2, 1)
        #expect(report.text == "The wall holds: 1 import in 2 files of 1 target.\n")
    }

    @Test("A wrong table is reported alone, with its line")
    func wrongTable() async throws {
        let package = try PackageOnDisk()
        defer { package.remove() }
        try package.write("vendor Sky: App\nvendr Sky: SkyV1\n", to: "walls/first")
        let report = try await package.report("--table", package.path + "/walls/first")
        #expect(
            report.violations.map(\.description) == [
                "\(package.path)/walls/first:2: unknown key 'vendr': "
                    + "the keys are vendor, only, system, target, pure, exports and strict"
            ]
        )
    }

    @Test("A vendor with a misspelt name is reported instead of passing silently")
    func misspeltVendor() async throws {
        let package = try PackageOnDisk()
        defer { package.remove() }
        try package.write("vendor Skye SkyCore: SkyV1\n", to: ".cofferdam-wall")
        let report = try await package.report()
        #expect(report.violations.map(\.text) == ["no adapter imports Skye, SkyCore: is the name right?"])
    }

    @Test("A package or a table that is not there is wrong usage; a manifest that SwiftPM cannot read is not")
    func unusable() async throws {
        let package = try PackageOnDisk()
        defer { package.remove() }
        #expect(await package.exitCode() == 64)
        try package.write(PackageOnDisk.minimal, to: ".cofferdam-wall")
        #expect(await package.exitCode("--table", package.path + "/none") == 64)
        try package.write("// swift-tools-version: 6.2\nlet package = 1\n", to: "Package.swift")
        #expect(await package.exitCode() == 1)
        try FileManager.default.removeItem(atPath: package.path + "/Package.swift")
        #expect(await package.exitCode() == 64)
    }
}

/// An app over an adapter over a vendor, which is a target of the same package.
private struct PackageOnDisk {
    static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "App",
            targets: [
                .target(name: "Sky"),
                .target(name: "Domain"),
                .target(name: "App", dependencies: ["Domain", "SkyV1"]),
                .target(name: "SkyV1", dependencies: ["Domain", "Sky"]),
            ]
        )
        """
    static let minimal = "vendor Sky: SkyV1\nonly SkyV1: App\n"
    static let strict = """
        strict
        vendor Sky: SkyV1
        system: Foundation
        pure Domain:
        target Sky:
        target SkyV1: Domain
        target App: Domain SkyV1
        """

    let path = FileManager.default.temporaryDirectory.appendingPathComponent("wall-\(UUID())").path

    init() throws {
        try write(Self.manifest, to: "Package.swift")
        try write("public struct Sky {}\n", to: "Sources/Sky/A.swift")
        try write("public protocol Weather {}\n", to: "Sources/Domain/A.swift")
        try write("import Domain\ninternal import Sky\n", to: "Sources/SkyV1/A.swift")
        try write("import Foundation\nimport SkyV1\n", to: "Sources/App/A.swift")
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to file: String) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    func report(_ options: String...) async throws -> WallReport {
        try await WallCommand.parse(["--package-path", path] + options).report()
    }

    func exitCode(_ options: String...) async -> Int32 {
        do {
            let arguments = ["wall", "--package-path", path] + options
            guard var command = try KitCommand.parseAsRoot(arguments) as? any AsyncParsableCommand else {
                return -1
            }
            try await command.run()
            return 0
        } catch {
            return KitCommand.exitCode(for: error).rawValue
        }
    }
}
#endif
