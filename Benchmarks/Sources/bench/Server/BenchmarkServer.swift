import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// cofferdam-server with a database in a temporary folder.
struct BenchmarkServer {
    let port: Int
    let process: Int
    /// The tokens, in the load generator's format.
    let tokens: [String: String]

    // The shell ends the server when its own input is closed, however this process ends.
    private static let script =
        #"ulimit -n "$(ulimit -Hn)"; "$@" </dev/null & echo $!; cat >/dev/null; kill -9 $! 2>/dev/null; wait"#

    /// Runs the server while the body runs.
    static func with<Value: Sendable>(
        _ server: String,
        _ body: (BenchmarkServer) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "tokens.json").path()
        var tokens: [String: String] = [:]
        for role in ["device", "operator"] {
            let token = try await ChildProcess.output(
                of: .path(FilePath(server)),
                ["token", "--name", role, "--role", role, "--tokens", file]
            )
            tokens[role.uppercased() + "_TOKEN"] = token.trimmingCharacters(in: .newlines)
        }
        let arguments = [
            "--listen", "127.0.0.1:0", "--database", folder.appending(path: "upgrades.sqlite").path(), "--tokens", file,
            "--capability", "orders=small", "--address-rate", "0", "--address-connections", "0",
        ]
        let result = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", script, "sh", server] + arguments),
            input: .inputWriter,
            output: .sequence,
            error: .currentStandardError
        ) { execution in
            let result: Result<Value, any Error>
            do {
                var (port, process): (Int?, Int?)
                for try await line in execution.standardOutput.strings() {
                    let line = line.trimmingCharacters(in: .newlines)
                    if line.hasPrefix("http") {
                        port = line.split(separator: ":").last.flatMap { Int($0) }
                    } else {
                        process = Int(line)
                    }
                    if port != nil, process != nil { break }
                }
                guard let port, let process else { throw TransportFailure("the server does not start") }
                result = .success(try await body(BenchmarkServer(port: port, process: process, tokens: tokens)))
            } catch { result = .failure(error) }
            try await execution.standardInputWriter.finish()
            return result
        }
        return try result.closureResult.get()
    }

    /// Returns the server's resident memory, in KiB.
    func memory() async throws -> Double {
        let text = try await ChildProcess.output(of: .name("ps"), ["-o", "rss=", "-p", "\(process)"])
        guard let memory = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TransportFailure("the server's memory is not known")
        }
        return memory
    }
}
