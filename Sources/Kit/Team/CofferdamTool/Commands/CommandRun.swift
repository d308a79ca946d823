#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What all commands of a team's tool share: opening and closing the tooling, output and exit codes.
enum CommandRun<Tool: TeamTool> {
    struct Outcome {
        let report: any Encodable
        let exitCode: ExitCode
        let text: (TerminalStyle) -> String

        init(_ report: any Encodable, exitCode: ExitCode, text: @escaping (TerminalStyle) -> String) {
            self.report = report
            self.exitCode = exitCode
            self.text = text
        }

        /// - Parameter isPublished: false if the report should have been published and was not, which is a failure
        ///   of the tool.
        init(
            _ report: any Encodable,
            isGreen: Bool,
            isPublished: Bool = true,
            text: @escaping (TerminalStyle) -> String
        ) {
            self.init(report, exitCode: !isPublished ? ExitCode(70) : isGreen ? .success : .failure, text: text)
        }
    }

    /// - Throws: `ExitCode` for every outcome but success, after the problem has been printed. The parser's
    ///   `ValidationError` passes through.
    static func run(isJSON: Bool, _ body: (Tooling, ToolProgress) async throws -> Outcome) async throws {
        let line = ProgressLine()
        let watch = ProgressWatch(line)
        let watching = Task(executorPreference: nil) { try await watch.run() }
        defer { watching.cancel() }
        let result = try await use(clearing: line) { tooling in try await body(tooling, watch.progress) }
        watching.cancel()
        do {
            try show(result, isJSON: isJSON)
        } catch {
            try complain(error)
        }
        if let code = Interruption.current?.exitCode { throw ExitCode(code) }
        if !result.exitCode.isSuccess { throw result.exitCode }
    }

    /// Runs a command that writes its own output.
    ///
    /// - Throws: the same as ``run(isJSON:_:)``.
    static func use<Value>(clearing line: ProgressLine = ProgressLine(), _ body: (Tooling) async throws -> Value)
        async throws -> Value
    {
        do {
            let tooling = try await Tool.tooling()
            let result: Value
            do {
                result = try await body(tooling)
            } catch {
                await tooling.close()
                throw error
            }
            await tooling.close()
            line.clear()
            return result
        } catch let error as ValidationError {
            line.clear()
            throw error
        } catch let error as ExitCode {
            throw error
        } catch {
            line.clear()
            if let code = Interruption.current?.exitCode {
                try StandardStream.error.write(
                    "\(Tool.name): ended by \(Interruption.current?.name ?? "a signal")\n"
                )
                throw ExitCode(code)
            }
            try complain(error)
        }
    }

    private static func complain(_ error: any Error) throws -> Never {
        try StandardStream.error.write("\(Tool.name): \("\(error)".escapedForTerminal)\n")
        throw ExitCode(error is OtherBuildRefused ? 2 : 70)
    }

    private static func show(_ result: Outcome, isJSON: Bool) throws {
        do {
            if isJSON {
                try StandardStream.output.write(OutputFile.json(result.report))
            } else {
                let environment = ProcessInfo.processInfo.environment
                try StandardStream.output.write(result.text(StandardStream.output.style(environment: environment)))
            }
        } catch let error as StreamClosed where error.isBrokenPipe {
            // The reader closed the pipe; the exit code still gives the result.
        }
    }
}
#endif
