#if Sandbox
import Foundation
import Testing

/// Type-checks code against the modules of the build that these tests belong to, without building anything.
struct Compiler {
    /// The build's compiler options for one target, each with its value.
    private var options: [[String]]

    /// The compiler as the build calls it for `target`: with its module name, its settings, and the modules it sees.
    init(of target: String) throws {
        let entry = try #require(
            Self.plan.get().first { $0.hasPrefix("\(target)-") && $0.contains(/^[^\n]*\.module":/) },
            "the build has no target \(target)"
        )
        let line = try #require(entry.split(separator: "\n").first { $0.contains("args: [") })
        let json = try #require(line.split(separator: "args: ", maxSplits: 1).last)
        var arguments = try JSONDecoder().decode([String].self, from: Data(json.utf8))[...]
        let valued: Set = [
            "-module-name", "-package-name", "-I", "-Xcc", "-target", "-module-cache-path", "-swift-version",
            "-enable-upcoming-feature", "-sdk", "-F",
        ]
        options = []
        while let argument = arguments.popFirst() {
            if valued.contains(argument), let value = arguments.popFirst() {
                options.append([argument, value])
            } else if argument.hasPrefix("-D") || argument.hasPrefix("-I") {
                options.append([argument])
            }
        }
    }

    /// Returns the compiler with these traits instead of the build's own.
    func with(traits: [String]) -> Self {
        var compiler = self
        let all = [
            "SDKv1", "SDKv2", "Staged", "SQLite", "Example", "Sandbox", "CommandLine", "TestStand", "Curl", "Fleet",
            "Telemetry",
        ].map { ["-D\($0)"] }
        compiler.options.removeAll(where: all.contains)
        compiler.options += traits.map { ["-D\($0)"] }
        return compiler
    }

    /// Returns the compiler for another module of this package, which sees the same modules.
    func named(_ name: String) -> Self {
        var compiler = self
        compiler.options.removeAll { $0[0] == "-module-name" }
        compiler.options.append(["-module-name", name])
        return compiler
    }

    /// Returns the compiler for a module of another package, which sees the same modules without our settings.
    func outside(named name: String) -> Self {
        let ours = ["-package-name", "-enable-upcoming-feature"]
        var compiler = named(name)
        compiler.options.removeAll { ours.contains($0[0]) || $0[0].hasPrefix("-D") }
        return compiler
    }

    func check(_ text: String) async throws -> Command.Outcome {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await check([file])
    }

    /// Checks all Swift files below a folder of the checkout, as one module.
    func check(folder: String) async throws -> Command.Outcome {
        try await check(House.files(below: House.root.appending(path: folder)).filter { $0.pathExtension == "swift" })
    }

    /// - Parameter more: options that add to the build's own or override them.
    func check(_ files: [URL], _ more: [String] = []) async throws -> Command.Outcome {
        let paths = files.map { $0.path(percentEncoded: false) }
        return try await Command.run(
            "swiftc",
            ["-typecheck", "-parse-as-library"] + options.flatMap(\.self) + more + paths
        )
    }

    /// Compiles a module, which sees the modules compiled in the folder before.
    ///
    /// - Returns: the object file.
    func compile(_ files: [URL], as module: String, in folder: URL, _ more: [String]) async throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let object = folder.appending(path: "\(module).o")
        let modulePath = folder.appending(path: "\(module).swiftmodule").path(percentEncoded: false)
        var arguments = ["-parse-as-library", "-wmo", "-c", "-o", object.path(percentEncoded: false), "-emit-module"]
        arguments += ["-emit-module-path", modulePath] + options.flatMap(\.self)
        arguments += ["-I", folder.path(percentEncoded: false), "-module-name", module, "-package-name", "adopter"]
        arguments += more
        let compiled = try await Command.run("swiftc", arguments + files.map { $0.path(percentEncoded: false) })
        try #require(compiled.isSuccess, "\(module): \(compiled.text.suffix(4000))")
        return object
    }

    /// Links objects with those of this build's targets and of the packages that the targets depend on.
    func link(_ objects: [URL], with targets: [String], to program: URL) async throws {
        let names = targets + ["Logging", "DequeModule", "InternalCollectionsUtilities", "ContainersPreview"]
        // The build's own list of objects, because folders may still contain objects of deleted files.
        let list = House.products.appending(path: "cofferdamPackageTests.product/Objects.LinkFileList")
        // A path with a space is quoted there.
        let linkedObjects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'"]) }
        let theirs = linkedObjects.filter { object in names.contains { object.contains("/\($0).build/") } }
        let paths = objects.map { $0.path(percentEncoded: false) } + theirs
        let linked = try await Command.run("swiftc", ["-o", program.path(percentEncoded: false)] + paths)
        try #require(linked.isSuccess, "\(linked.text.suffix(4000))")
    }

    /// The compiler's part of the build's plan: a text for each command, from its target's name on. The plan is next to
    /// the platform's folder: .build/debug.yaml. It has megabytes, and is read once.
    private static let plan = Result {
        let products = House.products.resolvingSymlinksInPath()
        let name = "\(products.lastPathComponent).yaml"
        let file = products.deletingLastPathComponent().deletingLastPathComponent().appending(path: name)
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n  \"C.").dropFirst()
    }
}
#endif
