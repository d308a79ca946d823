import Foundation

/// The team's tool, as it was built beside the tests.
struct Vendorctl {
    /// Nil in a build of this target alone.
    static let path: String? = {
        let places = CommandLine.arguments.compactMap { argument -> String? in
            guard let end = argument.firstRange(of: ".xctest")?.lowerBound else { return nil }
            return URL(filePath: String(argument[..<end])).deletingLastPathComponent().path
        }
        let own = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
        return (places + [own]).map { "\($0)/vendorctl" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Beside a bare environment.
    var environment: [String: String] = [:]
    /// What stands behind each command.
    var options: [String] = []

    struct Finished {
        /// -1 if a signal has ended it.
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
        let folder = try TemporaryFolder()
        let (output, error) = (folder.path + "/output", folder.path + "/error")
        for file in [output, error] { try Data().write(to: URL(filePath: file)) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["upgrade"] + arguments + options
        process.environment = ["USER": "amara", "HOME": "/nonexistent"].merging(libraries) { $1 }.merging(environment) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: error))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Finished(
            code: process.terminationReason == .exit ? process.terminationStatus : -1,
            output: try String(contentsOfFile: output, encoding: .utf8),
            error: try String(contentsOfFile: error, encoding: .utf8)
        )
    }

    /// Where the toolchain's own are, where they are told.
    private var libraries: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"].contains($0.key) }
    }
}
