#if Sandbox
import ArgumentParser
import SanctuaryApp
import SanctuaryDomain

struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "List your orders, oldest first.",
        discussion: """
            EXAMPLES
              sanctuary orders --service http://127.0.0.1:8080
              sanctuary orders --json
            """
    )

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withFeatures { features, output in
            let latest = try await features.orders.latest()
            try output.show(latest.value.map { OrderOutput($0.order) }) {
                OrderOutput.table(latest.value.map(\.shown), $0)
            }
            try latest.throwIfOld()
        }
    }
}

struct OrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Place an order, or show one.",
        subcommands: [Place.self, Show.self]
    )

    struct Place: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "place",
            abstract: "Place an order for one article.",
            discussion: """
                If the connection is lost after the order was sent, it is unknown whether it was placed: look at the list \
                before you place it again. The same --key means the same order if the vendor supports keys.

                EXAMPLES
                  sanctuary order place --article hay --quantity 2 --price "4.50 EUR" --service http://127.0.0.1:8080
                """
        )

        @Option(help: "The article to order.")
        var article: String

        @Option(help: "The quantity, at least 1.")
        var quantity: Int

        @Option(help: "The price of each, as \"4.50 EUR\"; without a code, in the account's currency.")
        var price: String

        @Option(help: "Identifies this attempt, so that it can be repeated. (default: a new key)")
        var key: String?

        @OptionGroup var service: ServiceOptions

        func validate() throws {
            if key?.isEmpty == true { throw ValidationError("--key must not be empty.") }
            // Errors in any currency are reported before the vendor is asked.
            guard let finest = Currency("CLF") else { return }
            do {
                _ = try input.line(accountCurrency: finest)
            } catch {
                throw ValidationError("--\(error.subject ?? "order"): \(error.message)")
            }
        }

        func run() async throws {
            try await service.withFeatures(key: key) { features, output in
                let order = try await features.orders.place([input])
                try output.show(OrderOutput(order.order)) { OrderOutput.details(order.shown, $0) }
            }
        }

        private var input: OrderInput { OrderInput(article: article, quantity: quantity, price: price) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show an order and its lines.",
            discussion: """
                EXAMPLES
                  sanctuary order show o-1 --service http://127.0.0.1:8080
                """
        )

        @Argument(help: "The order's id, as shown in the list.")
        var id: String

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            try await service.withFeatures { features, output in
                let order = try await features.orders.order(OrderID(id))
                try output.show(OrderOutput(order.order)) { OrderOutput.details(order.shown, $0) }
            }
        }
    }
}
#endif
