#if Server
import ArgumentParser
import CofferdamServer

struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Tries the webhooks.",
        subcommands: [WebhookTest.self]
    )
}

struct WebhookTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Sends each webhook of a file a message that says that it is a test.",
        discussion: """
            At PagerDuty it begins an incident and ends it. Exits with 1 if a webhook does not answer with 2xx. It needs no \
            running server.

            EXAMPLES
              cofferdam-server webhook test --webhooks /etc/cofferdam/webhooks.json
            """
    )

    @Option(help: "The file of webhooks, as of the server.")
    var webhooks: String

    func run() async throws {
        var hasFailed = false
        for webhook in try Webhook.all(inFile: webhooks) {
            do {
                try await webhook.test()
                print("\(webhook.description): sent")
            } catch {
                hasFailed = true
                print("\(webhook.description): \(error)")
            }
        }
        if hasFailed { throw ExitCode.failure }
    }
}
#endif
