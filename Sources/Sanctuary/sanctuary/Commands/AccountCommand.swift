#if Sandbox
import ArgumentParser
import SanctuaryApp
import SanctuaryDomain

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Sign in or out, or show who is signed in.",
        subcommands: [SignIn.self, SignOut.self, Show.self]
    )

    struct SignIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-in",
            abstract: "Sign in, replacing the current user.",
            discussion: """
                The password is that of the environment's SANCTUARY_PASSWORD, else asked for on the terminal, else the first \
                line of standard input.

                EXAMPLES
                  sanctuary account sign-in amara
                  pass show sanctuary | sanctuary account sign-in amara --service http://127.0.0.1:8080
                """
        )

        @Argument(help: "The user's name.")
        var name: String

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            let password = try Password.read(for: name, environment: ProcessInfo.processInfo.environment)
            try await service.withFeatures { features, output in
                _ = try await features.account.signIn(user: name, password: password)
                let state = try await features.account.state()
                try output.show(AccountOutput(state)) { _ in AccountOutput.text(state) }
            }
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Forget the session on this device.",
            discussion: """
                EXAMPLES
                  sanctuary account sign-out --service http://127.0.0.1:8080
                """
        )

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            try await service.withFeatures { features, output in
                try await features.account.signOut()
                let state = try await features.account.state()
                try output.show(AccountOutput(state)) { _ in AccountOutput.text(state) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the signed-in user, as known to this device.",
            discussion: """
                EXAMPLES
                  sanctuary account show --service http://127.0.0.1:8080 --json
                """
        )

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            try await service.withFeatures { features, output in
                let state = try await features.account.state()
                try output.show(AccountOutput(state)) { _ in AccountOutput.text(state) }
            }
        }
    }
}
#endif
