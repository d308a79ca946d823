import Foundation
import Subprocess

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

    /// Runs a program with this process's environment, without what our own builds are told by it.
    static func run(_ name: String, _ arguments: [String], in folder: URL = House.root) async throws -> Outcome {
        let result = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            environment: .inherit.updating(["COFFERDAM_WALL": nil, "COFFERDAM_STRICT": nil, "COFFERDAM_ONLY": nil]),
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
