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
              SANCTUARY_PASSWORD=sandbox sanctuary orders --user amara --json
            """
    )

    @OptionGroup var service: ServiceOptions

    func run() async throws {
        try await service.withServices { services, output in
            let orders = try await Lists.orders(of: services)
            try output.show(orders.map(OrderOutput.init)) { OrderOutput.table(orders, $0) }
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
                If the connection is lost after the order was sent, nobody knows whether it was placed: look at the list \
                before you place it again. The same --key means the same order where the vendor knows keys.

                EXAMPLES
                  sanctuary order place --article hay --quantity 2 --price "4.50 EUR" --service http://127.0.0.1:8080
                """
        )

        @Option(help: "What to order.")
        var article: String

        @Option(help: "How many, at least 1.")
        var quantity: Int

        @Option(help: ArgumentHelp("The price of each, as \"4.50 EUR\".", valueName: "amount currency"))
        var price: Money

        @Option(help: "Names this attempt. (default: a new one)")
        var key: String?

        @OptionGroup var service: ServiceOptions

        func validate() throws {
            if article.isEmpty { throw ValidationError("--article must not be empty.") }
            if quantity < 1 { throw ValidationError("--quantity must be at least 1.") }
            if key?.isEmpty == true { throw ValidationError("--key must not be empty.") }
        }

        func run() async throws {
            try await service.withServices { services, output in
                let line = OrderLine(article: article, quantity: quantity, unitPrice: price)
                let order = try await services.orders.place(OrderDraft(lines: [line], key: key ?? Attempt.newKey()))
                try output.show(OrderOutput(order)) { OrderOutput.details(order, $0) }
            }
        }
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

        @Argument(help: "The order's id, as the list has it.")
        var id: String

        @OptionGroup var service: ServiceOptions

        func run() async throws {
            try await service.withServices { services, output in
                let order = try await services.orders.order(OrderID(id))
                try output.show(OrderOutput(order)) { OrderOutput.details(order, $0) }
            }
        }
    }
}

extension Money: @retroactive ExpressibleByArgument {
    /// "4.50 EUR", exactly: more decimals than the currency has are refused.
    public init?(argument: String) {
        let parts = argument.split(separator: " ")
        guard parts.count == 2, let currency = Currency(String(parts[1])) else { return nil }
        self.init(decimal: String(parts[0]), currency: currency)
    }
}
