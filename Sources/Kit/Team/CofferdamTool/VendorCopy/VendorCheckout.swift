#if CommandLine
#if canImport(Subprocess)
import Subprocess
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One tag of a package in its own folder, without git's files.
struct VendorCheckout {
    let folder: URL
    /// The tag as it is in the repository: "v1.2.3" for "1.2.3".
    let tag: String
    let commit: String

    /// - Parameters:
    ///   - source: a URL or a path, as git takes it.
    ///   - folder: must not exist yet.
    init(of source: String, version: String, in folder: URL) async throws {
        let tags = try await Self.git(["ls-remote", "--tags", "--", source], hiding: source)
        (tag, commit) = try Self.find(version, in: tags, of: source)
        _ = try await Self.git(
            [
                "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1", "--branch", tag, "--",
                source,
                folder.path,
            ],
            hiding: source
        )
        let head = try await Self.git(["-C", folder.path, "rev-parse", "HEAD"], hiding: source)
            .filter { !$0.isWhitespace }
        guard head == commit else {
            throw VendorCopyError(
                "'\(tag)' is also a branch of \(Self.shown(source)), which git takes for the tag"
            )
        }
        try FileManager.default.removeItem(at: folder.appendingPathComponent(".git"))
        self.folder = folder
    }

    /// Returns the tag with that name, or with a "v" before it, and its commit, which is in the line with "^{}" for
    /// an annotated tag.
    private static func find(_ version: String, in list: String, of source: String) throws -> (String, String) {
        var commits: [String: String] = [:]
        for line in list.split(separator: "\n") {
            let parts = line.split(separator: "\t")
            guard parts.count == 2, parts[1].hasPrefix("refs/tags/") else { continue }
            let name = String(parts[1].dropFirst("refs/tags/".count))
            if name.hasSuffix("^{}") {
                commits[String(name.dropLast(3))] = String(parts[0])
            } else if commits[name] == nil {
                commits[name] = String(parts[0])
            }
        }
        for name in [version, "v\(version)"] {
            if let commit = commits[name] { return (name, commit) }
        }
        let versions = commits.keys.compactMap { name in
            PackageVersion(name.hasPrefix("v") ? String(name.dropFirst()) : name).map { ($0, name) }
        }.sorted { $0.0 < $1.0 }.suffix(8).map(\.1)
        let known = versions.isEmpty ? "it has no versions" : "the newest are \(versions.joined(separator: ", "))"
        throw VendorCopyError("\(shown(source)) has no tag '\(version)'; \(known)")
    }

    /// - Parameter source: is shown without any credentials in it.
    private static func git(_ arguments: [String], hiding source: String) async throws -> String {
        do {
            return try await VendorProcess.output(of: "git", arguments)
        } catch let error as VendorCopyError {
            throw VendorCopyError(error.problems.map { $0.replacing(source, with: shown(source)) })
        }
    }

    /// The source without a user and a password: "https://git.example.org/a.git".
    static func shown(_ source: String) -> String {
        // "https:", "", "user:password@host", …
        var parts = source.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty, let at = parts[2].lastIndex(of: "@")
        else {
            return source
        }
        parts[2] = parts[2][parts[2].index(after: at)...]
        return parts.joined(separator: "/")
    }
}

/// Reads what SwiftPM reports about a package in a folder.
enum VendorManifests {
    /// - Parameter scratch: an existing folder in which SwiftPM may leave files.
    static func manifest(in folder: String, scratch: URL) async throws -> VendorPackage.Manifest {
        try await read(VendorPackage.Manifest.self, ["dump-package"], in: folder, scratch)
    }

    static func package(in folder: URL, scratch: URL) async throws -> VendorPackage {
        let manifest = try await manifest(in: folder.path, scratch: scratch)
        let command = ["describe", "--type", "json"]
        let description = try await read(VendorPackage.Description.self, command, in: folder.path, scratch)
        return VendorPackage(manifest: manifest, modules: description.targets)
    }

    /// The package's manifest, and its manifests for versions of Swift: "Package@swift-6.0.swift".
    static func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0 == "Package.swift" || $0.hasPrefix("Package@swift-") && $0.hasSuffix(".swift") }
            .sorted().map { folder.appendingPathComponent($0) }
    }

    /// The versions in Package.resolved, by identity; empty if there is no such file.
    static func resolved(in folder: String) throws -> [String: String] {
        let file = URL(fileURLWithPath: folder).appendingPathComponent("Package.resolved").path
        guard FileManager.default.fileExists(atPath: file) else { return [:] }
        let pins = try OutputFile.read(Resolved.self, from: file).pins
        return Dictionary(pins.compactMap { pin in pin.state.version.map { (pin.identity, $0) } }) { first, _ in
            first
        }
    }

    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String? }
            let identity: String
            let state: State
        }
        let pins: [Pin]
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type,
        _ command: [String],
        in folder: String,
        _ scratch: URL
    ) async throws -> Value {
        let text = try await VendorProcess.output(
            of: "swift",
            ["package", "--package-path", folder, "--scratch-path", scratch.path] + command,
            // SwiftPM leaves locks and manifests there.
            temporary: scratch
        )
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw VendorCopyError(
                "the output of 'swift package \(command[0])' in '\(folder)' is not understood: \(error)"
            )
        }
    }
}

enum VendorProcess {
    /// Runs a program and returns its standard output.
    ///
    /// - Parameter temporary: the folder for the program's temporary files; nil for this process's.
    /// - Throws: ``VendorCopyError`` with its standard error, if it fails.
    static func output(of program: String, _ arguments: [String], temporary: URL? = nil) async throws -> String {
        #if canImport(Subprocess)
        // Git must not ask for a password, or run a program that a URL names.
        var environment: [Environment.Key: String?] = [
            "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        ]
        if let temporary { environment["TMPDIR"] = temporary.path }
        let result = try await Subprocess.run(
            .name(program),
            arguments: Arguments(arguments),
            environment: .inherit.updating(environment),
            output: .string(limit: 1 << 25),
            error: .string(limit: 1 << 20)
        )
        guard result.terminationStatus.isSuccess else {
            let said = result.standardError.split(separator: "\n").map(String.init)
            throw VendorCopyError(["\(program) \(command(of: arguments)) failed:"] + said.suffix(20))
        }
        return result.standardOutput
        #else
        throw VendorCopyError("\(program) cannot be run on this platform")
        #endif
    }

    /// The subcommand: "clone", "package".
    private static func command(of arguments: [String]) -> String {
        let words = ["ls-remote", "clone", "rev-parse", "dump-package", "describe"]
        return arguments.first(where: words.contains) ?? ""
    }
}

struct VendorCopyError: Error, CustomStringConvertible {
    let problems: [String]

    init(_ problems: [String]) { self.problems = problems }
    init(_ problem: String) { self.init([problem]) }

    var description: String { problems.joined(separator: "\n") }
}
#endif
