import Subprocess

/// Runs another program to its end. It starts with no signal blocked, so that Ctrl-C ends it together with this process.
enum ChildProcess {
    /// - Parameters:
    ///   - environment: variables in addition to this process's own.
    ///   - limit: the time limit, after which it is killed.
    /// - Returns: what it printed.
    /// - Throws: ``TransportFailure`` if it cannot be started, fails, or takes too long.
    static func output(
        of executable: Executable,
        _ arguments: [String],
        environment: [String: String] = [:],
        within limit: Duration? = nil
    ) async throws -> String {
        let command = ([executable.description] + arguments).joined(separator: " ")
        let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
        return try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask {
                let result = try await Subprocess.run(
                    executable,
                    arguments: Arguments(arguments),
                    environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)),
                    output: .string(limit: 1 << 20),
                    error: .currentStandardError
                )
                try Task.checkCancellation()
                guard result.terminationStatus.isSuccess else {
                    throw TransportFailure("failed with \(result.terminationStatus): \(command)")
                }
                return result.standardOutput
            }
            if let limit {
                group.addTask {
                    try await Task.sleep(for: limit)
                    throw TransportFailure("took more than \(limit): \(command)")
                }
            }
            defer { group.cancelAll() }
            guard let output = try await group.next() else { throw CancellationError() }
            return output
        }
    }
}

struct TransportFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
