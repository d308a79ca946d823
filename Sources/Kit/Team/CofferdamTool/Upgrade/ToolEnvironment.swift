import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A command's environment: its caller, the time, and whether a terminal can answer questions.
struct ToolEnvironment: Sendable {
    var variables: [String: String]
    /// The name of the account that the process runs as; empty if it has none.
    var account = ""
    /// Returns the time in milliseconds since 1970.
    var now: @Sendable () -> Int64
    var newID: @Sendable () -> String
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Asks the person at the terminal, and returns the line that was typed; nil at the end of input or without a terminal.
    var ask: (@Sendable (_ question: String) -> String?)?

    /// The environment of the process, unless a test sets another one.
    @TaskLocal static var current = ToolEnvironment(
        variables: ProcessInfo.processInfo.environment,
        account: ownAccount,
        now: WallTime.now,
        newID: { UUID().uuidString.lowercased() },
        ask: isatty(STDIN_FILENO) == 1 && StandardStream.error.isTerminal ? askAtTerminal : nil
    )

    private static var ownAccount: String {
        #if canImport(FoundationEssentials)
        ProcessInfo.processInfo.userName
        #else
        NSUserName()
        #endif
    }

    /// The login name from the shell, or the account's name if no shell has set it (cron, a container).
    var loginName: String {
        let shell = variables["USER", default: ""]
        return shell.allSatisfy(\.isWhitespace) ? account : shell
    }

    @Sendable private static func askAtTerminal(_ question: String) -> String? {
        // If the question cannot be shown, there is no answer, and the command says so.
        do { try StandardStream.error.write(question) } catch { return nil }
        return readLine()
    }
}
