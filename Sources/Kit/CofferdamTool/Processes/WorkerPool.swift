#if CommandLine && (os(macOS) || os(Linux))
    import Cofferdam
    import CofferdamContracts

    #if !os(Linux)
        import Foundation
    #endif

    /// Processes that answer, each one question at a time. One that dies or is overdue is not asked again.
    final class WorkerPool: Sendable {
        private let path: String
        private let arguments: [String]
        private let environment: [String: String]
        private let isReusing: Bool
        /// By what they have worked on.
        private let idle = Mutex<[String: [WorkerProcess]]>([:])

        /// - Parameter isReusing: whether one that has answered is asked again; otherwise each question has a process of its own.
        init(
            path: String,
            _ arguments: [String],
            environment: [String: String] = [:],
            isReusing: Bool
        ) {
            self.path = path
            self.arguments = arguments
            self.environment = environment
            self.isReusing = isReusing
        }

        deinit {
            for worker in idle.withLock({ $0.values.flatMap(\.self) }) { worker.release() }
        }

        /// The tool that is running, to be started again; nil for a command that something else runs, as a test does.
        @TaskLocal static var tool: String?

        /// The program that is running.
        static var ownPath: String {
            #if os(Linux)
                // The link is resolved in the child, which is still this program then.
                "/proc/self/exe"
            #else
                Bundle.main.executablePath ?? Swift.CommandLine.arguments[0]
            #endif
        }

        /// - Parameter subject: what the question is about; a worker is asked about one subject only.
        /// - Throws: as ``WorkerProcess/next(within:)``; ``NotStarted``.
        func ask<Answer: Decodable>(
            _ question: some Encodable,
            about subject: String,
            within limit: Duration
        ) async throws -> Answer {
            try Task.checkCancellation()
            let line = try WorkerLine.text(question)
            let worker =
                try idle.withLock { $0[subject]?.popLast() } ?? WorkerProcess(path, arguments, environment: environment)
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
