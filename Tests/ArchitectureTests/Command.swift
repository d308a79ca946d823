#if Sandbox
import Foundation
import Subprocess
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Programs that the tests of the checkout run.
enum Command {
    struct Outcome: Sendable {
        var isSuccess: Bool
        var text: String
    }

    /// The variables that configure our own builds.
    static let unset = ["COFFERDAM_WALL", "COFFERDAM_STRICT", "COFFERDAM_ONLY", "COFFERDAM_ONONE"]

    /// Runs a program with this process's environment, except for `unset`, and a temporary folder of its own, because SwiftPM and
    /// the compiler leave files in theirs.
    static func run(_ name: String, _ arguments: [String], in folder: URL = House.root) async throws -> Outcome {
        try await run(.name(name), arguments, in: folder)
    }

    static func run(path: String, _ arguments: [String], in folder: URL) async throws -> Outcome {
        try await run(.path(FilePath(path)), arguments, in: folder)
    }

    private static func run(_ program: Executable, _ arguments: [String], in folder: URL) async throws -> Outcome {
        let temporary = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID())")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: temporary) } catch { Issue.record(error) } }
        var environment: [Environment.Key: String?] = ["TMPDIR": temporary.path(percentEncoded: false)]
        for name in unset { environment[Environment.Key(stringLiteral: name)] = .some(nil) }
        let result = try await Subprocess.run(
            program,
            arguments: Arguments(arguments),
            environment: .inherit.updating(environment),
            workingDirectory: FilePath(folder.path(percentEncoded: false)),
            output: .string(limit: 64 << 20),
            error: .string(limit: 64 << 20)
        )
        return Outcome(
            isSuccess: result.terminationStatus.isSuccess,
            text: result.standardOutput + result.standardError
        )
    }
}
#endif
