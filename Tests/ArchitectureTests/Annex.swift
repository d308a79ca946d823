import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A copy of the checkout, in a folder of its own, that tests may change and build: a build nested in the checkout's own
/// `.build` would wait for its lock for ever. The copy is kept between runs, so that only what changed is built again.
enum Annex {
    static let folder = House.root.appending(path: ".build-wall")
    static let house = folder.appending(path: "cofferdam")

    /// Makes the copy equal to the checkout; files that are the same already are not touched.
    static func mirror() throws {
        try seedVersions()
        for part in House.parts {
            let source = House.root.appending(path: part)
            let target = house.appending(path: part)
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: source.path(percentEncoded: false),
                isDirectory: &isDirectory
            )
            guard exists, isDirectory.boolValue else {
                try copy(source, to: target)
                continue
            }
            let wanted = try House.files(below: source).map { $0.path(percentEncoded: false) }
            let prefix = source.path(percentEncoded: false).count
            for path in wanted {
                try copy(URL(filePath: path), to: target.appending(path: String(path.dropFirst(prefix + 1))))
            }
            let names = Set(wanted.map { String($0.dropFirst(prefix + 1)) })
            guard FileManager.default.fileExists(atPath: target.path(percentEncoded: false)) else { continue }
            for file in try House.files(below: target) {
                let name = String(
                    file.path(percentEncoded: false).dropFirst(target.path(percentEncoded: false).count + 1)
                )
                if !names.contains(name) { try FileManager.default.removeItem(at: file) }
            }
        }
    }

    /// Has the copy begin with the versions that the checkout has resolved; what other traits add is resolved there.
    private static func seedVersions() throws {
        let name = "Package.resolved"
        let (source, target) = (House.root.appending(path: name), house.appending(path: name))
        let manager = FileManager.default
        guard manager.fileExists(atPath: source.path(percentEncoded: false)),
            !manager.fileExists(atPath: target.path(percentEncoded: false))
        else { return }
        try copy(source, to: target)
    }

    /// Adds a file that the checkout does not have, until the copy is made equal to it again.
    static func add(_ text: String, at path: String) throws {
        try write(Data(text.utf8), to: house.appending(path: path))
    }

    private static func copy(_ source: URL, to target: URL) throws {
        try write(try Data(contentsOf: source), to: target)
    }

    private static func write(_ content: Data, to file: URL) throws {
        if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)),
            try Data(contentsOf: file) == content
        {
            return
        }
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try content.write(to: file)
    }

    /// Changes a file of the copy while `body` runs.
    static func changing<Value>(
        _ path: String,
        _ change: (String) throws -> String,
        while body: () async throws -> Value
    ) async throws -> Value {
        let file = house.appending(path: path)
        let original = try String(contentsOf: file, encoding: .utf8)
        try change(original).write(to: file, atomically: true, encoding: .utf8)
        do {
            let value = try await body()
            try original.write(to: file, atomically: true, encoding: .utf8)
            return value
        } catch {
            try original.write(to: file, atomically: true, encoding: .utf8)
            throw error
        }
    }

    struct Outcome: Sendable {
        var isSuccess: Bool
        var text: String
    }

    /// Runs a command in the copy, or in another folder, with the wall's flags on.
    static func run(_ command: String, _ arguments: [String], in folder: URL = house) async throws -> Outcome {
        let result = try await Subprocess.run(
            .name(command),
            arguments: Arguments(arguments),
            // SwiftPM gives the traits to the compiler in a set's order: if that changed, all would be compiled anew.
            environment: .inherit.updating([
                "COFFERDAM_WALL": "1", "COFFERDAM_STRICT": nil, "SWIFT_DETERMINISTIC_HASHING": "1",
            ]),
            workingDirectory: FilePath(folder.path(percentEncoded: false)),
            output: .string(limit: 64 << 20),
            error: .string(limit: 64 << 20)
        )
        return Outcome(
            isSuccess: result.terminationStatus.isSuccess,
            text: result.standardOutput + result.standardError
        )
    }

    /// Builds a part of the copy: `["--product", "sanctuary"]`.
    ///
    /// - Parameter traits: `"SDKv1,SDKv2"`; without them, the default ones.
    static func build(_ part: [String], traits: String? = nil) async throws -> Outcome {
        try await run("swift", ["build", "--disable-index-store"] + (traits.map { ["--traits", $0] } ?? []) + part)
    }

    /// Builds the app as its users would.
    static func buildSanctuary(traits: String? = nil) async throws -> Outcome {
        try await build(["--product", "sanctuary"], traits: traits)
    }

    static var sanctuary: URL { house.appending(path: ".build/debug/sanctuary") }
}
