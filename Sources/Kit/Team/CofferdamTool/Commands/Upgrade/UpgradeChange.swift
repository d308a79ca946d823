#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// Who makes a change and why, for the log.
struct ChangeOptions: ParsableArguments {
    @Option(help: "The reason, for the log. Without it, the command asks at a terminal.")
    var reason: String?

    @Option(help: "Your name, for the log (default: your login name). A server logs your token's name.")
    var by: String?

    /// - Throws: `ValidationError` if there is no name, or if one is given for a server.
    func name(in environment: ToolEnvironment, at place: UpgradePlace) throws -> String {
        if case .server = place {
            guard by == nil else { throw ValidationError("--by: a server logs the name of your token.") }
            return ""
        }
        let name = UpgradeArguments.trimmed(by ?? environment.loginName)
        if name.isEmpty { throw ValidationError("Give your name with --by: there is no login name.") }
        return name
    }

    /// - Throws: `ValidationError` if there is neither a reason nor a terminal to ask for one, or if it says nothing.
    func reason(in environment: ToolEnvironment) throws -> String {
        let given = reason ?? environment.ask?("Why? ") ?? ""
        let text = UpgradeArguments.trimmed(given)
        if text.isEmpty { throw ValidationError("A change needs a reason: give it with --reason.") }
        if let problem = ChangeReason.problem(of: text) { throw ValidationError("--reason: \(problem).") }
        return text
    }
}

enum UpgradeChange<Tool: TeamTool> {
    /// Changes each upgrade and reports failures on standard error. Exits with 1 if a rule forbids a change, and
    /// with 70 if the store fails.
    static func run(
        _ options: UpgradeOptions,
        _ change: ChangeOptions,
        _ move: RequestedChange,
        to stage: Stage? = nil,
        allowsUnknown: Bool = false,
        of choose: (UpgradeTooling) throws -> [UpgradeTooling.Capability]
    ) async throws {
        let environment = ToolEnvironment.current
        try await CommandRun<Tool>.run(isJSON: options.json) { tooling, progress in
            let place = try options.place(in: environment)
            let upgrade = try await tooling.requiredUpgrade(Tool.name, at: place)
            let capabilities = try choose(upgrade)
            let by = try change.name(in: environment, at: place)
            try check(move, at: place)
            let reason = try change.reason(in: environment)
            let controls = try await options.open(upgrade, mayCreate: true)
            if move.sendsBack, let cost = upgrade.costOfGoingBack {
                tell("\(Tool.name): \(cost.escapedForTerminal)\n")
            }
            var report = try await controls.change(
                capabilities,
                move,
                to: stage,
                by: by,
                reason: reason,
                allowsUnknown: allowsUnknown
            )
            tell(report.problems(Tool.name))
            if move.isStop || move == .certain(.resume) {
                // The change is made, whether or not it can be counted who has it: the report must not be lost.
                do { try await controls.confirm(&report, of: capabilities, progress.show) } catch is CancellationError {
                } catch { progress.tell("\(error)".escapedForTerminal) }
            }
            let code: ExitCode =
                report.failed.isEmpty ? report.refused.isEmpty ? .success : .failure : ExitCode(70)
            return CommandRun<Tool>.Outcome(report, exitCode: code) { _ in report.text + report.advice(Tool.name) }
        }
    }

    /// Writes to standard error. A stop is made although it cannot be written; the exit code tells what failed.
    private static func tell(_ text: String) { try? StandardStream.error.write(text) }

    /// - Throws: `ValidationError` for a change that a server cannot make.
    private static func check(_ move: RequestedChange, at place: UpgradePlace) throws {
        guard case .server = place, UpgradeRequestBody(move, reason: "") == nil else { return }
        throw ValidationError(
            "\(move.name): a server does not know units by name, because devices send it only hashes."
        )
    }
}
#endif
