#if CommandLine && canImport(Subprocess)
    import CofferdamContracts
    import Subprocess

    #if !os(Linux)
        import Foundation
    #endif

    #if canImport(System)
        import System
    #else
        import SystemPackage
    #endif

    /// Runs this tool again for one case, and reads what came of it.
    struct ChildProcess: Sendable {
        let executable: Executable
        /// What every call begins with.
        let prefix: [String]

        init(path: String, prefix: [String] = []) {
            executable = .path(FilePath(path))
            self.prefix = prefix
        }

        /// The program that is running.
        static var own: ChildProcess {
            #if os(Linux)
                // The link is resolved in the child, which is still this program then.
                ChildProcess(path: "/proc/self/exe")
            #else
                ChildProcess(path: Bundle.main.executablePath ?? Swift.CommandLine.arguments[0])
            #endif
        }

        /// Standard output of a process that ended with 0 or 1: both say that the case was run.
        ///
        /// - Throws: ``ProcessEnded``, ``ProcessOverdue`` when `limit` has passed, after ending the process;
        ///   `CancellationError`; an error of the system if the program cannot be started.
        func output(_ arguments: [String], within limit: Duration) async throws -> String {
            try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask { try await run(prefix + arguments) }
                group.addTask {
                    try await ContinuousClock().sleep(for: limit)
                    return nil
                }
                // Cancelled, the runner of processes ends its child.
                defer { group.cancelAll() }
                guard let first = try await group.next(), let output = first else { throw ProcessOverdue() }
                return output
            }
        }

        private func run(_ arguments: [String]) async throws -> String {
            let result = try await Subprocess.run(
                executable,
                arguments: Arguments(arguments),
                // The dump of a crash takes seconds and says nothing that a report would show.
                environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]),
                input: .none,
                output: .string(limit: 1 << 24),
                error: .string(limit: 1 << 20)
            )
            try Task.checkCancellation()
            let said = Self.reason(result.standardError)
            switch result.terminationStatus {
            case .exited(0), .exited(1): return result.standardOutput
            case .exited(let code): throw ProcessEnded(isCrash: false, "its process ended with code \(code)" + said)
            case .signaled(let signal): throw ProcessEnded(isCrash: true, "signal \(signal) ended its process" + said)
            }
        }

        /// The line in which Swift says why it trapped; otherwise the last one.
        private static func reason(_ error: String) -> String {
            let lines = error.split(whereSeparator: \.isNewline)
            let telling = lines.first { $0.contains("Fatal error") || $0.contains("Precondition failed") } ?? lines.last
            return telling.map { ": \($0)" } ?? ""
        }
    }
#endif
