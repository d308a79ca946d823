#if Server
import Foundation
import Subprocess
import Testing
import TestSupport

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// `cofferdam-server`, as built along with the tests.
enum ServerProgram {
    static let path: String? = {
        let places = CommandLine.arguments.compactMap { argument -> String? in
            guard let end = argument.firstRange(of: ".xctest")?.lowerBound else { return nil }
            return URL(filePath: String(argument[..<end])).deletingLastPathComponent().path
        }
        let own = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
        return (places + [own]).map { "\($0)/cofferdam-server" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Runs it to its end.
    static func run(_ arguments: String...) async throws -> (isSuccess: Bool, output: String, error: String) {
        try await run(arguments: arguments)
    }

    /// Runs it to its end.
    static func run(arguments: [String]) async throws -> (isSuccess: Bool, output: String, error: String) {
        try await run(FilePath(try #require(path)), arguments)
    }

    /// Runs it to its end with a soft limit of 100 open files, and prints the hard limit first.
    static func runWithFewFiles(
        _ arguments: String...
    ) async throws -> (isSuccess: Bool, output: String, error: String) {
        let script = #"ulimit -Hn; ulimit -Sn 100; exec "$@""#
        return try await run("/bin/sh", ["-c", script, "sh", try #require(path)] + arguments)
    }

    private static func run(
        _ program: FilePath,
        _ arguments: [String]
    ) async throws -> (isSuccess: Bool, output: String, error: String) {
        let result = try await Subprocess.run(
            .path(program),
            arguments: Arguments(arguments),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20)
        )
        return (result.terminationStatus.isSuccess, result.standardOutput, result.standardError)
    }

    // The shell ends the server when its own input is closed, which the system does when the tests end.
    private static let script =
        #"log=$1; shift; "$@" </dev/null 2>>"$log" & echo $!; cat >/dev/null; kill -9 $! 2>/dev/null; wait"#

    /// Runs the server while the body runs.
    ///
    /// - Parameter log: the file that its log is added to.
    static func serve(
        _ arguments: [String],
        log: String = "/dev/null",
        _ body: @escaping @Sendable (_ url: String, _ process: pid_t) async throws -> Void
    ) async throws {
        _ = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", script, "sh", log, try #require(path)] + arguments),
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { execution in
            var (url, process): (String?, pid_t?)
            for try await line in execution.standardOutput.strings() {
                let line = line.trimmingCharacters(in: .newlines)
                if line.hasPrefix("http") { url = line } else { process = pid_t(line) }
                if url != nil, process != nil { break }
            }
            guard let url, let process else { throw TestError("the server did not begin") }
            defer { kill(process, SIGKILL) }
            try await body(url, process)
            try await execution.standardInputWriter.finish()
        }
    }
}
#endif
