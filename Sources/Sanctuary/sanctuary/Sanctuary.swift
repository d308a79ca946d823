#if Sandbox
import ArgumentParser

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The command-line app Sanctuary.
@main
struct Sanctuary: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sanctuary",
        abstract: "The animals of the sanctuary, their keepers' orders, messages and accessories.",
        discussion: """
            Without --service the vendor's sandbox is started inside the command, with the same data each time: an order \
            or message lives only as long as the command, a session longer. Its users are amara, kenji and noor, with the \
            password "sandbox".

            Where a service fails, the animals, orders and messages that were known before are shown, with the error and \
            its exit code. A text that mentions an animal, as "@lion" or by its id as "@42", shows the name that it has now.

            EXAMPLES
              sanctuary animals --kind mythological
              sanctuary animal 42 --json
              sanctuary photo 42 -o lion.bmp
              sanctuary account sign-in amara
              sanctuary orders
              sanctuary account sign-in amara --service http://127.0.0.1:8080
              sanctuary messages --follow --service http://127.0.0.1:8080

            EXIT CODES
            \(ExitStatus.help)

            COMPLETIONS
              sanctuary --generate-completion-script bash|zsh|fish
            """,
        subcommands: [
            AnimalsCommand.self, AnimalCommand.self, PhotoCommand.self, AccessoriesCommand.self, OrdersCommand.self,
            OrderCommand.self, MessagesCommand.self, MessageCommand.self, AccountCommand.self,
        ]
    )

    static func main() async {
        // A closed pipe becomes a write error, after which everything is closed in order.
        signal(SIGPIPE, SIG_IGN)
        endProcess(await TerminationSignals.watch { await runCommand() })
    }

    /// Parses the arguments and runs the command. The argument parser itself prints help, usage and completions, and
    /// ends the process.
    private static func runCommand() async -> Int32 {
        var command: any ParsableCommand
        do {
            command = try parseAsRoot()
        } catch {
            exit(withError: error)
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return ExitStatus.ok.rawValue
        } catch let error as Failure {
            return error.report()
        } catch is CancellationError {
            return ExitStatus.interrupted.rawValue
        } catch {
            // The parser's own error: a request for help, or a value that fails validation.
            exit(withError: error)
        }
    }
}

/// The C library's `exit`, which the argument parser's methods of that name hide.
private func endProcess(_ status: Int32) -> Never { exit(status) }
#else
import CofferdamSupport

@main
enum Sanctuary {
    static func main() { MissingTrait("Example").end() }
}
#endif
