import Cofferdam
import Foundation
import Testing

/// A program that a test has started. It ends with the test, and with the tests' process, however that ends.
final class ServerProcess: Sendable {
    private let shell: Mutex<Process?>
    private let lifeline: Pipe
    private let log: String
    let identifier: pid_t

    /// The shell ends the program when its standard input is closed, which the system does for whoever dies.
    /// - Parameter log: a file, in which what it says is kept.
    init(_ path: String, _ arguments: [String], log: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", #""$@" </dev/null >&2 & echo $!; cat >/dev/null; kill -9 $!; wait"#, "sh", path] + arguments
        let (lifeline, announced) = (Pipe(), Pipe())
        process.standardInput = lifeline
        process.standardOutput = announced
        try Data().write(to: URL(filePath: log))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: log))
        try process.run()
        let line = String(decoding: announced.fileHandleForReading.availableData, as: UTF8.self)
        identifier = try #require(pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)), "\(path) has not begun")
        (self.lifeline, self.log) = (lifeline, log)
        shell = Mutex(process)
    }

    deinit { end() }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Whether it still runs, and what it said last.
    var account: String {
        let said = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let lines = said.split(separator: "\n").suffix(5).map { $0.prefix(300) }
        return (kill(identifier, 0) == 0 ? "runs" : "has ended") + "; it said:\n" + lines.joined(separator: "\n")
    }

    /// At once, and waits for it.
    func end() {
        guard let shell = shell.withLock({ $0.take() }) else { return }
        send(SIGKILL)
        try? lifeline.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}

/// Where a program is; nil if it is not installed.
enum Programs {
    static let etcd = find("etcd")
    static let prometheus = find("prometheus")

    private static func find(_ name: String) -> String? {
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin", "/usr/local/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

/// A folder of its own, gone with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "cofferdam-fleet-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Asks a real server until it says what is waited for.
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
