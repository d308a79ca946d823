#if CommandLine
/// Where worker processes run.
struct WorkerPlace: Sendable, Hashable {
    /// Variables that are added to this process's own, or replace them.
    var variables: [String: String] = [:]
    /// The working directory; nil for this process's own.
    var directory: String?

    /// Far from most developers' machines: a time zone whose offset is no whole hour, with summer time in the south,
    /// and a language with other capitals and another decimal separator.
    static var foreign: WorkerPlace {
        let language = "tr_TR.UTF-8"
        return WorkerPlace(
            variables: ["TZ": "Pacific/Chatham", "LANG": language, "LC_ALL": language],
            directory: "/"
        )
    }
}
#endif

#if CommandLine && (os(macOS) || os(Linux))
import Cofferdam
import CofferdamContracts

#if os(Linux)
import FoundationEssentials
#else
import Foundation
#endif

extension WorkerPlace {
    /// Starts a worker in this place.
    ///
    /// - Throws: ``NotStarted``.
    fileprivate func start(_ path: String, _ arguments: [String]) throws -> WorkerProcess {
        guard let directory else { return try WorkerProcess(path, arguments, environment: variables) }
        // A shell changes the directory. It is another program, so that this one must be named by its own path.
        let program = path == "/proc/self/exe" ? try FileManager.default.destinationOfSymbolicLink(atPath: path) : path
        let command = ["-c", "cd \"$0\" && exec \"$@\"", directory, program]
        return try WorkerProcess("/bin/sh", command + arguments, environment: variables)
    }
}

/// A pool of worker processes, each of which answers one question at a time. A process that dies or exceeds its
/// limit is not used again.
final class WorkerPool: Sendable {
    private let path: String
    private let arguments: [String]
    private let place: WorkerPlace
    private let isReusing: Bool
    /// The idle workers, by the subject that they have worked on.
    private let idle = Mutex<[String: [WorkerProcess]]>([:])

    /// - Parameter isReusing: whether a process that has answered is used again; otherwise each question has its
    ///   own process.
    init(
        path: String,
        _ arguments: [String],
        in place: WorkerPlace = WorkerPlace(),
        isReusing: Bool
    ) {
        self.path = path
        self.arguments = arguments
        self.place = place
        self.isReusing = isReusing
    }

    deinit {
        for worker in idle.withLock({ $0.values.flatMap(\.self) }) { worker.release() }
    }

    /// The running tool, to be started again; nil if something else runs the command, such as a test.
    @TaskLocal static var tool: String?

    /// The path of the running program.
    static var ownPath: String {
        #if os(Linux)
        // The child resolves the link while it is still this program.
        "/proc/self/exe"
        #else
        Bundle.main.executablePath ?? Swift.CommandLine.arguments[0]
        #endif
    }

    /// - Parameter subject: the subject of the question. A worker is only asked about one subject.
    /// - Throws: the errors of ``WorkerProcess/next(within:)``; ``NotStarted``.
    func ask<Answer: Decodable>(
        _ question: some Encodable,
        about subject: String,
        within limit: Duration
    ) async throws -> Answer {
        try Task.checkCancellation()
        let line = try WorkerLine.text(question)
        let worker =
            try idle.withLock { $0[subject]?.popLast() }
            ?? place.start(path, arguments)
        worker.send(line)
        let answer = try await worker.next(within: limit)
        do {
            let value: Answer = try WorkerLine.value(of: answer)
            if isReusing {
                idle.withLock { $0[subject, default: []].append(worker) }
            } else {
                worker.release()
            }
            return value
        } catch {
            worker.kill()
            throw error
        }
    }
}
#endif
