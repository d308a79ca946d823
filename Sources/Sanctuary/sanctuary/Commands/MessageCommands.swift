import ArgumentParser
import SanctuaryApp
import SanctuaryDomain

struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Show the keepers' conversation, oldest message first.",
        discussion: """
            EXAMPLES
              sanctuary messages --service http://127.0.0.1:8080
              sanctuary messages --follow --json --service http://127.0.0.1:8080
            """
    )

    @Flag(help: "Go on with everything that is said, until Ctrl-C; with --json a document on each line.")
    var follow = false

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            guard follow else {
                let messages = try await features.conversation.history()
                return try output.show(messages.map(MessageOutput.init)) { MessageOutput.table(messages, $0) }
            }
            for try await update in features.conversation.follow() {
                try output.showLines(ConversationOutput(update)) { ConversationOutput.lines(update, $0) }
            }
        }
    }
}

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Send a message.",
        subcommands: [Send.self]
    )

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Send a message to the other keepers.",
            discussion: """
                EXAMPLES
                  sanctuary message send "The lion is fed." --service http://127.0.0.1:8080
                """
        )

        @Argument(help: "What to say.")
        var text: String

        @Option(help: "Names this attempt. (default: a new one)")
        var key: String?

        @OptionGroup var service: ServiceOptions

        func validate() throws {
            if text.allSatisfy(\.isWhitespace) { throw ValidationError("The text must not be empty.") }
            if key?.isEmpty == true { throw ValidationError("--key must not be empty.") }
        }

        func run() async throws {
            try await service.withFeatures(key: key) { features, output in
                let message = try await features.conversation.send(text)
                try output.show(MessageOutput(message)) { MessageOutput.table([message], $0) }
            }
        }
    }
}
