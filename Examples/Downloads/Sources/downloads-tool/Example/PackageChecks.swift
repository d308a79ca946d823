import Foundation

/// Checks what Package.swift promises: a swap by one line, and a wall.
struct PackageChecks {
    /// The example's own directory.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    // MARK: The swap

    /// Makes the swap in a copy of the package, and compiles what is linked before, during and after the upgrade.
    ///
    /// - Returns: how many lines differ.
    static func swap() async throws -> Int {
        let copy = try temporaryDirectory()
        defer { remove(copy) }
        for part in ["Package.swift", "Sources"] {
            try FileManager.default.copyItem(atPath: "\(root)/\(part)", toPath: "\(copy)/\(part)")
        }
        let manifest = try String(contentsOfFile: "\(copy)/Package.swift", encoding: .utf8)
        let swapped = manifest.replacing("(enabledTraits: [\"URLSession\"])", with: "(enabledTraits: [\"AsyncHTTP\"])")
        try swapped.write(toFile: "\(copy)/Package.swift", atomically: true, encoding: .utf8)
        let (before, after) = (try await Manifest.dump(root), try await Manifest.dump(copy))
        guard before.linked == ["URLSessionDownloads"], after.linked == ["AsyncHTTPDownloads"] else {
            throw Unexpected("the swap leads from \(before.linked) to \(after.linked)")
        }
        let client = "\(copy)/Sources/DownloadsClient/LinkedClient.swift"
        for traits in [["URLSession"], ["URLSession", "AsyncHTTP", "Staged"], ["AsyncHTTP"]] {
            guard try await compiles([client], traits.flatMap { ["-D", $0] }, as: "DownloadsClient") else {
                throw Unexpected("the app does not compile with the trait \(traits.last ?? "")")
            }
        }
        let lines = [manifest, swapped].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        return lines[1].difference(from: lines[0]).insertions.count
    }

    // MARK: The wall

    /// Tries to compile the app with an additional file that imports a client's module.
    ///
    /// - Returns: the modules that the app can import.
    static func importable() async throws -> [String] {
        let manifest = try await Manifest.dump(root)
        let sources = try FileManager.default.contentsOfDirectory(atPath: "\(root)/Sources/DownloadsApp")
            .map { "\(root)/Sources/DownloadsApp/\($0)" }
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        var importable: [String] = []
        guard try await compiles(sources, manifest.flags(of: "DownloadsApp")) else {
            throw Unexpected("the app does not compile without the import either")
        }
        var modules = ["AsyncHTTPClient"]
        #if canImport(FoundationNetworking)
        // Elsewhere, URLSession is part of Foundation, and no compiler flag can refuse it.
        modules.append("FoundationNetworking")
        #endif
        for module in modules {
            let file = "\(directory)/Import\(module).swift"
            try "import \(module)\n".write(toFile: file, atomically: true, encoding: .utf8)
            // Otherwise a refusal with the app's own flags would prove nothing.
            guard try await compiles([file], []) else {
                throw Unexpected("\(module) cannot be imported without the wall either")
            }
            if try await compiles(sources + [file], manifest.flags(of: "DownloadsApp")) { importable.append(module) }
        }
        return importable
    }

    /// Type-checks as the build does, with the modules that the build has made.
    private static func compiles(
        _ files: [String],
        _ flags: [String],
        as module: String = "DownloadsApp"
    ) async throws -> Bool {
        let products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        let arguments =
            ["-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", module]
            + ["-I", products.appending(path: "Modules").path] + (try maps(in: products)) + flags + files
        return try await Command.run("swiftc", arguments).status == 0
    }

    /// The C modules of the graph.
    private static func maps(in products: URL) throws -> [String] {
        // Beside the products of the platform: .build/PLATFORM/debug.
        let checkouts = products.deletingLastPathComponent().deletingLastPathComponent().path + "/checkouts"
        var headers: [String] = []
        for path in FileManager.default.enumerator(atPath: checkouts) ?? .init() {
            if let path = path as? String, path.hasSuffix("/include") { headers += ["-Xcc", "-I\(checkouts)/\(path)"] }
        }
        let generated = try FileManager.default.contentsOfDirectory(atPath: products.path)
            .map { products.appending(path: $0).appending(path: "module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
        return headers + generated.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }
}

/// The parts of a manifest, as SwiftPM reads it, that are needed here.
private struct Manifest: Decodable {
    struct Trait: Decodable {
        var name: String
        var enabledTraits: [String]
    }

    struct Target: Decodable {
        struct Dependency: Decodable {
            struct Condition: Decodable { var traits: [String]? }

            var target: String?
            var traits: [String]

            private enum Key: CodingKey { case target }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                guard container.contains(.target) else {
                    traits = []
                    return
                }
                var list = try container.nestedUnkeyedContainer(forKey: .target)
                target = try list.decode(String.self)
                traits = try list.decodeIfPresent(Condition.self)?.traits ?? []
            }
        }

        struct Setting: Decodable {
            struct Kind: Decodable {
                struct Flags: Decodable { var _0: [String] }
                var unsafeFlags: Flags?
            }
            var kind: Kind
        }

        var name: String
        var dependencies: [Dependency]
        var settings: [Setting]
    }

    var traits: [Trait]
    var targets: [Target]

    static func dump(_ directory: String) async throws -> Manifest {
        let result = try await Command.run("swift", ["package", "--package-path", directory, "dump-package"])
        guard result.status == 0 else { throw Unexpected("SwiftPM cannot read the manifest: \(result.errors)") }
        return try JSONDecoder().decode(Manifest.self, from: result.output)
    }

    /// The adapters that the app links by default.
    var linked: [String] {
        let enabled = traits.first { $0.name == "default" }?.enabledTraits ?? []
        let client = targets.first { $0.name == "DownloadsClient" }
        return (client?.dependencies ?? []).filter { !$0.traits.isEmpty && !Set($0.traits).isDisjoint(with: enabled) }
            .compactMap(\.target)
    }

    func flags(of name: String) -> [String] {
        targets.first { $0.name == name }?.settings.flatMap { $0.kind.unsafeFlags?._0 ?? [] } ?? []
    }
}
