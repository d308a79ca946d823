#if Sandbox
package import Subprocess

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A command of this package, built along with the tests.
package struct BuiltCommand: Sendable {
    package let name: String

    package static let sanctuary = BuiltCommand(name: "sanctuary")
    package static let vendorctl = BuiltCommand(name: "vendorctl")
    package static let mytool = BuiltCommand(name: "mytool")
    /// Only in builds with the trait `Server`.
    package static let server = BuiltCommand(name: "cofferdam-server")

    /// Runs the command to its end.
    ///
    /// - Parameter environment: additional variables; the tests' own environment is not inherited.
    package func run(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = ""
    ) async throws -> Finished {
        try await Self.run(name, arguments, environment: environment, input: input)
    }

    /// Runs a shell command line, in which the commands can be called by name.
    package static func shell(_ line: String) async throws -> Finished { try await run("sh", ["-c", line]) }

    /// Runs the command until `body` has read enough lines of standard output, then interrupts it as Ctrl-C does.
    package func runUntil(
        _ arguments: [String],
        environment: [String: String] = [:],
        _ isEnough: @escaping @Sendable (_ line: String) async throws -> Bool
    ) async throws -> Finished {
        let result = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            environment: Self.environment(environment),
            input: .none,
            output: .sequence,
            error: .string(limit: 1 << 20)
        ) { execution in
            var text = ""
            var isInterrupted = false
            for try await line in execution.standardOutput.strings() {
                text += line + "\n"
                if !isInterrupted, try await isEnough(line) {
                    isInterrupted = true
                    try execution.send(signal: .interrupt)
                }
            }
            return text
        }
        return Finished(
            status: result.terminationStatus,
            output: result.closureResult,
            error: result.standardError
        )
    }

    /// Runs the command until `isEnough` returns true for a line of standard error, then sends it the signal.
    package func run(
        _ arguments: [String],
        sending signal: Signal,
        whenErrorHas isEnough: @escaping @Sendable (_ line: String) async throws -> Bool
    ) async throws -> Finished {
        let result = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            environment: Self.environment([:]),
            input: .none,
            output: .string(limit: 1 << 24),
            error: .sequence
        ) { execution in
            var text = ""
            var isSent = false
            for try await line in execution.standardError.strings() {
                text += line + "\n"
                if !isSent, try await isEnough(line) {
                    isSent = true
                    try execution.send(signal: signal)
                }
            }
            return text
        }
        return Finished(
            status: result.terminationStatus,
            output: result.standardOutput,
            error: result.closureResult
        )
    }

    private static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = ""
    ) async throws -> Finished {
        let result = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            environment: Self.environment(environment),
            input: .string(input),
            output: .string(limit: 1 << 24),
            error: .string(limit: 1 << 20)
        )
        return Finished(
            status: result.terminationStatus,
            output: result.standardOutput,
            error: result.standardError
        )
    }

    /// The commands are found by name, before all others.
    private static func environment(_ additions: [String: String]) -> Environment {
        var environment: [Environment.Key: String] = [
            "PATH": directory + ":/usr/bin:/bin", "LANG": "C", "HOME": "/nonexistent", "TMPDIR": temporaryDirectory,
            "XDG_STATE_HOME": state,
        ]
        for name in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"] {
            if let value = ProcessInfo.processInfo.environment[name] { environment[.init(stringLiteral: name)] = value }
        }
        for (name, value) in additions { environment[.init(stringLiteral: name)] = value }
        return .custom(environment)
    }

    /// What commands without `--state` keep, until this process ends.
    private static let state: String = {
        atexit { try? FileManager.default.removeItem(atPath: BuiltCommand.state) }
        return temporaryDirectory + "/command-tests-state-\(ProcessInfo.processInfo.processIdentifier)"
    }()

    private static let temporaryDirectory = FileManager.default.temporaryDirectory.path

    /// The folder of the test bundle, and of everything built with it.
    private static let directory: String = {
        let bundle = CommandLine.arguments.lazy.compactMap { argument -> String? in
            guard let end = argument.firstRange(of: ".xctest")?.lowerBound else { return nil }
            return argument[..<end].split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/"
            )
        }.first
        let path = bundle ?? CommandLine.arguments[0].split(separator: "/").dropLast().joined(separator: "/")
        return path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }()
}

/// The result of a command.
package struct Finished: Sendable {
    package let status: TerminationStatus
    package let output: String
    package let error: String

    /// The exit code; -1 if a signal ended it, as a trap does.
    package var code: Int32 { if case .exited(let code) = status { code } else { -1 } }

    /// Standard output as one JSON document.
    package func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(output.utf8))
    }
}
#endif
