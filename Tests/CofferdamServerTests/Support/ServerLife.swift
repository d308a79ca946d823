#if Server
import Cofferdam
import Foundation
import TestSupport

/// A `cofferdam-server` that a test kills and starts again at the same port.
final class ServerLife: Sendable {
    private struct Running: Sendable {
        var process: pid_t
        var end: AsyncStream<Void>.Continuation
        var task: Task<Void, any Error>
    }

    let port: Int
    let arguments: [String]
    /// The file of its log.
    let log: String
    private let running = Mutex<Running?>(nil)

    /// - Parameter port: outside of the range that the system takes clients' ports from.
    init(port: Int, _ arguments: [String], log: String) {
        (self.port, self.log) = (port, log)
        self.arguments = ["--listen", "127.0.0.1:\(port)"] + arguments
    }

    var url: String { "http://127.0.0.1:\(port)" }

    func start() async throws {
        let (begun, pen) = AsyncThrowingStream.makeStream(of: pid_t.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [arguments, log] in
            do {
                try await ServerProgram.serve(arguments, log: log) { _, process in
                    pen.yield(process)
                    for await _ in ended {}
                }
                pen.finish()
            } catch {
                pen.finish(throwing: error)
                throw error
            }
        }
        guard let process = try await begun.first(where: { _ in true }) else {
            throw TestError("the server ended before it began")
        }
        running.withLock { $0 = Running(process: process, end: end, task: task) }
    }

    /// Kills it with SIGKILL, and returns when it is gone.
    func kill() async {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        Foundation.kill(running.process, SIGKILL)
        running.end.finish()
        _ = await running.task.result
    }

    // MARK: Measuring

    /// The number of its open files, and its memory in bytes; nil where the system does not say.
    var measured: (files: Int, memory: Int)? {
        guard let process = running.withLock({ $0?.process }),
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count,
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { return nil }
        return (files, kilobytes << 10)
    }

    /// The lines of its log.
    var logLines: [Substring] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
    }
}
#endif
