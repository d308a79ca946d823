#if Sandbox
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamState
import SanctuaryApp
import SanctuaryDomain

struct MessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "Show the keepers' conversation, oldest message first.",
        discussion: """
            EXAMPLES
              sanctuary messages --service http://127.0.0.1:8080
              sanctuary messages --last 20 --newest-first
              sanctuary messages --html messages.html
              sanctuary messages --follow --json --service http://127.0.0.1:8080
            """
    )

    @Flag(help: "Keep printing messages until Ctrl-C; with --json, one document per line.")
    var follow = false

    @Option(help: ArgumentHelp("Show only the last messages.", valueName: "count"))
    var last: Int?

    @Flag(help: "Show the newest first.")
    var newestFirst = false

    @Option(
        help: ArgumentHelp("Write an HTML page instead of the list; - for standard output.", valueName: "file"),
        completion: .file(extensions: ["html"])
    )
    var html: String?

    @OptionGroup var service: ServiceOptions

    func validate() throws {
        if let last, last < 1 { throw ValidationError("--last must be at least 1, not \(last).") }
        if html?.isEmpty == true { throw ValidationError("--html must name a file, or be '-'.") }
        if html != nil, follow { throw ValidationError("--html and --follow cannot go together.") }
        if html != nil, service.json { throw ValidationError("--html and --json cannot go together.") }
        if follow || service.json, last != nil || newestFirst {
            throw ValidationError("--last and --newest-first apply to the list and the page only.")
        }
    }

    func run() async throws {
        let file = try html.flatMap { try $0 == "-" ? nil : ResultFile($0) }
        try await service.withFeatures { features, output in
            if follow { return try await show(features.conversation.follow(), output) }
            if output.isJSON {
                let latest = try await features.conversation.latest()
                try output.show(latest.value.map(MessageOutput.init)) { _ in "" }
                return try latest.throwIfOld()
            }
            let latest = try await screen(of: features, reader: try await features.account.state()).latest()
            try show(latest.value, in: file, output)
            try latest.throwIfOld()
        }
    }

    private func show(_ list: MessageListPresenter<ShownMessage>, in file: ResultFile?, _ output: Output) throws {
        guard html != nil else {
            let renderer = TerminalMessageListRenderer(
                isColoured: output.style.isColoured,
                cell: MessageOutput.cell(output.style)
            )
            return try StandardStream.output.write(list.present(with: renderer))
        }
        let page = list.present(with: HTMLMessageListRenderer())
        guard let file else { return try StandardStream.output.write(page) }
        try file.write(Array(page.utf8))
        try StandardStream.output.write("\(file.path)\n")
    }

    private func show(_ updates: ConversationUpdates, _ output: Output) async throws {
        for try await update in updates {
            try output.showLines(ConversationOutput(update)) { ConversationOutput.lines(update, $0) }
        }
    }

    private func screen(of features: Features, reader: AccountState) -> ConversationScreen {
        let configuration = MessageListConfiguration.defaults {
            $0.title = "Keepers' messages"
            $0.limit = last
            $0.order = newestFirst ? .newestFirst : .oldestFirst
        }
        return features.conversation.screen(configuration: configuration, reader: reader.id) { instant in
            let moment = instant.short.split(separator: " ", maxSplits: 1)
            return moment.count == 2 ? (String(moment[0]), String(moment[1])) : ("", instant.short)
        }
    }
}

extension AccountState {
    fileprivate var id: String? { if case .signedIn(let account) = self { account.id } else { nil } }
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

        @Argument(help: "The message's text.")
        var text: String

        @Option(help: "Identifies this attempt, so that it can be repeated. (default: a new key)")
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
#endif
