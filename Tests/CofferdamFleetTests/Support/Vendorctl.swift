#if Fleet
import Foundation
import Subprocess
import TestSupport

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The team's tool, as built along with the tests.
struct Vendorctl {
    /// Nil if only this target is built.
    static let path: String? = {
        let places = CommandLine.arguments.compactMap { argument -> String? in
            guard let end = argument.firstRange(of: ".xctest")?.lowerBound else { return nil }
            return URL(filePath: String(argument[..<end])).deletingLastPathComponent().path
        }
        let own = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
        return (places + [own]).map { "\($0)/vendorctl" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Variables on top of a bare environment.
    var environment: [String: String] = [:]
    /// Options that end each command.
    var options: [String] = []

    struct Finished {
        /// -1 if a signal ended it.
        var code: Int32
        var output: String
        var error: String

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(output.utf8))
        }
    }

    /// Runs `vendorctl upgrade ARGUMENTS` to its end.
    func upgrade(_ arguments: String...) async throws -> Finished {
        guard let path = Self.path else { throw TestError("vendorctl is not built") }
        let environment = ["USER": "amara", "HOME": "/nonexistent"].merging(libraries) { $1 }.merging(environment) {
            $1
        }
        let result = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(["upgrade"] + arguments + options),
            environment: .custom(Dictionary(uniqueKeysWithValues: environment.map { (.init(stringLiteral: $0), $1) })),
            output: .string(limit: 1 << 24),
            error: .string(limit: 1 << 24)
        )
        var code: Int32 = -1
        if case .exited(let value) = result.terminationStatus { code = value }
        return Finished(code: code, output: result.standardOutput, error: result.standardError)
    }

    /// The variables with the toolchain's libraries, if set.
    private var libraries: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"].contains($0.key) }
    }
}
#endif
