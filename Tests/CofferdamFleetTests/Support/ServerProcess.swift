#if Fleet
import Cofferdam
import Foundation
import Subprocess
import Testing
import TestSupport

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that a test started. It ends with the test, and with the tests' process, however that ends.
final class ServerProcess: Sendable {
    private let shell: Task<Void, any Error>
    private let lifeline: AsyncStream<Never>.Continuation
    private let log: String
    let identifier: pid_t

    private static let script = #""$@" </dev/null >&2 & echo $!; cat >/dev/null; kill -9 $!; wait"#

    /// A shell in between ends the program when its standard input is closed, which the system does when this process
    /// dies.
    ///
    /// - Parameter log: a file for the program's output.
    init(_ path: String, _ arguments: [String], log: String) async throws {
        let file = try FileDescriptor.open(
            FilePath(log),
            .writeOnly,
            options: [.create, .truncate],
            permissions: .ownerReadWrite
        )
        let (started, announcement) = AsyncStream<pid_t?>.makeStream()
        let (held, lifeline) = AsyncStream<Never>.makeStream()
        shell = Task {
            defer { announcement.finish() }
            _ = try await Subprocess.run(
                .path("/bin/sh"),
                arguments: Arguments(["-c", Self.script, "sh", path] + arguments),
                input: .inputWriter,
                output: .sequence,
                error: .fileDescriptor(file, closeAfterSpawningProcess: true)
            ) { execution in
                for try await line in execution.standardOutput.strings() {
                    announcement.yield(pid_t(line))
                    break
                }
                for await _ in held {}
                try await execution.standardInputWriter.finish()
            }
        }
        (self.lifeline, self.log) = (lifeline, log)
        identifier = try #require(await started.first { _ in true } ?? nil, "\(path) has not begun")
    }

    deinit {
        send(SIGKILL)
        lifeline.finish()
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Whether it still runs, and its last output.
    var account: String {
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let lines = said.split(separator: "\n").suffix(5).map { $0.prefix(300) }
        return (kill(identifier, 0) == 0 ? "runs" : "has ended") + "; it said:\n" + lines.joined(separator: "\n")
    }

    /// Ends it at once, and waits for that.
    func end() async throws {
        send(SIGKILL)
        lifeline.finish()
        try await shell.value
    }
}

/// The paths of programs; nil if they are not installed.
enum Programs {
    static let etcd = find("etcd")
    static let prometheus = find("prometheus")

    private static func find(_ name: String) -> String? {
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin", "/usr/local/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// A folder that is deleted with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "cofferdam-fleet-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { removeFolder(path) }
}

/// Asks a real server until the answer is as expected.
func eventually(
    _ what: @autoclosure () -> String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(40)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
    }
    let what = what()
    Issue.record("it never came: \(what)", sourceLocation: sourceLocation)
    throw TestError(what)
}
#endif
