import CofferdamContracts
import SanctuaryDomain

/// The ports' lists.
enum Lists {
    static let rules = Rule.merged([
        ("animals", animals.rules), ("orders", orders.rules), ("messages", messages.rules),
    ])
    static let mutants = Mutant.merged([
        ("animals", animals.mutants), ("orders", orders.mutants), ("messages", messages.mutants),
    ])

    private static let animals = list(of: .animals, SanctuaryCalls.animals) { subject, count in
        try await subject.probe.seedAnimals(count)
    }

    private static let orders = list(of: .orders, SanctuaryCalls.orders) { subject, count in
        try await subject.signIn()
        var orders: [Order] = []
        for index in 0..<count {
            let price = Money(minorUnits: Int64(index), currency: .eur)
            orders.append(
                try await subject.probe.addOrder([OrderLine(article: "meat", quantity: 1, unitPrice: price)])
            )
        }
        return orders
    }

    private static let messages = list(of: .messages, SanctuaryCalls.messages) { subject, count in
        try await subject.signIn()
        return try await subject.probe.seedMessages(count)
    }

    private static func list<Item>(
        of operation: SanctuaryOperation,
        _ call: PortCall<SanctuarySubject, ListQuery, ListPage<Item>>,
        seed: @escaping @Sendable (SanctuarySubject, _ count: Int) async throws -> [Item]
    ) -> ListOperation<SanctuarySubject, Item> {
        ListOperation(
            call: call,
            vendorCursors: Capability.vendorCursors.tag,
            isInvalidCursor: { SanctuaryError.isCode(.invalidCursor, $0) },
            isInvalidLimit: { SanctuaryError.isCode(.invalidRequest, $0) },
            seed: { subject, count in
                try await subject.probe.reset(.empty)
                return try await seed(subject, count)
            },
            setQuirk: { try await $0.probe.setPagingQuirk($1, on: operation) },
            expireCursors: { try await $0.probe.expireCursors() },
            setFailing: { subject, fails in
                // Nobody tries again what is forbidden.
                if fails {
                    try await subject.probe.inject(.status(403), on: operation, times: 100)
                } else {
                    try await subject.probe.clearFaults()
                }
            }
        )
    }
}
