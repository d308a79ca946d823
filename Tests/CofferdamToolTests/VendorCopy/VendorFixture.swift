#if CommandLine && canImport(Subprocess)
import Foundation
import Testing
import TestSupport

@testable import CofferdamTool

/// A folder with a vendor's package in a git repository, and an adopter's package, for one test.
struct VendorFixture {
    let root: URL

    var vendor: URL { root.appending(path: "widgets") }
    var app: URL { root.appending(path: "app") }
    var source: String { vendor.path(percentEncoded: false) }
    var package: String { app.path(percentEncoded: false) }

    /// Runs `body`, and removes the folder afterwards.
    static func with(_ body: (VendorFixture) async throws -> Void) async throws {
        let name = "vendor-\(UUID().uuidString)"
        let fixture = VendorFixture(root: FileManager.default.temporaryDirectory.appending(path: name))
        defer { removeFolder(fixture.root.path) }
        try fixture.write(["app/Package.swift": manifest("app", "")])
        try await body(fixture)
    }

    /// Writes files, by their paths from the folder.
    func write(_ files: [String: String]) throws {
        for (path, text) in files { try OutputFile.write([UInt8](text.utf8), to: root.appending(path: path).path) }
    }

    /// Writes the vendor's files and tags them.
    func release(_ tag: String, _ files: [String: String]) async throws {
        try write(Dictionary(uniqueKeysWithValues: files.map { ("widgets/\($0.key)", $0.value) }))
        if !FileManager.default.fileExists(atPath: vendor.appending(path: ".git").path) {
            try await run("git", "-C", source, "init", "--quiet")
        }
        try await run("git", "-C", source, "add", "--all")
        let author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        _ = try await VendorProcess.output(
            of: "git",
            ["-C", source] + author + ["commit", "--quiet", "--message", tag]
        )
        _ = try await VendorProcess.output(
            of: "git",
            ["-C", source] + author + ["tag", "--annotate", "--message", tag, tag]
        )
    }

    @discardableResult
    func run(_ program: String, _ arguments: String...) async throws -> String {
        try await VendorProcess.output(of: program, arguments, temporary: root)
    }

    func copy(_ version: String, as identity: String = "widgets-v1", isDry: Bool = false) async throws -> VendorPlan {
        try await VendorCopy(
            source: source,
            version: version,
            identity: identity,
            directory: "Vendors",
            package: package
        ).run(isDry: isDry)
    }

    /// Returns the exit code of the command.
    func exitCode(_ arguments: String...) async -> Int32 {
        await (["vendor-copy", source, "--package-path", package] + arguments).exitCode(of: SoundTool.self)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    static func manifest(_ name: String, _ content: String) -> String {
        """
        // swift-tools-version: 6.0
        import CompilerPluginSupport
        import PackageDescription

        let package = Package(
            name: "\(name)"\(content.isEmpty ? "" : ",")
            \(content)
        )

        """
    }

    /// A library of two modules, one of which qualifies a name with the other's module name.
    static func widgets(_ major: Int) -> [String: String] {
        [
            "Package.swift": manifest(
                "Widgets",
                """
                products: [.library(name: "Widgets", targets: ["Widgets"])],
                targets: [.target(name: "WidgetsCore"), .target(name: "Widgets", dependencies: ["WidgetsCore"])]
                """
            ),
            "Sources/WidgetsCore/Core.swift": "public func core() -> String { \"core \(major)\" }\n",
            "Sources/Widgets/Widget.swift": """
            import WidgetsCore

            public struct Widget {
                public init() {}
                public var text: String { "widget \(major) of \\(WidgetsCore.core())" }
            }

            """,
        ]
    }
}
#endif
