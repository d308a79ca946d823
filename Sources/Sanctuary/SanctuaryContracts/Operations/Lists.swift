import CofferdamContracts
import SanctuaryDomain

/// The ports' lists.
enum Lists {
    /// Only the catalogue can be filtered.
    static let rules = Rule.each([
        ("animals", withoutRemovals(animals.rules)),
        ("orders", withoutRemovals(orders.rules.filter { $0.id != "LIST-08" })),
        ("messages", messages.rules.filter { $0.id != "LIST-08" }),
    ])
    static let mutants = Mutant.each([
        ("animals", animals.mutants), ("orders", orders.mutants), ("messages", messages.mutants),
    ])

    private static func withoutRemovals(_ rules: [Rule<SanctuarySubject>]) -> [Rule<SanctuarySubject>] {
        rules.map { $0.id == "LIST-13" ? $0.inapplicable(because: "nothing is ever removed from this list") : $0 }
    }

    private static let animals = list(
        of: .animals,
        SanctuaryCalls.animals,
        selection: groups,
        grow: { _ = try await $0.probe.seedAnimals($1) },
        seed: { try await $0.probe.seedAnimals($1) }
    )

    /// The groups; the last one has no animals.
    private static let groups = ListSelection<SanctuarySubject, Animal>(
        call: SanctuaryCalls.animalsOfGroup,
        pages: SanctuaryCalls.selectedAnimals,
        capability: Capability.groupFilter.tag,
        arguments: ["mammal", "fish", "chimera"],
        selected: { group, all in all.filter { $0.group == AnimalGroup(group) } },
        arrived: { try await $0.probe.requestedGroups() }
    )

    private static let orders = list(
        of: .orders,
        SanctuaryCalls.orders,
        grow: { _ = try await addOrders($1, to: $0) },
        seed: { subject, count in
            try await subject.signIn()
            return try await addOrders(count, to: subject)
        },
        seedOther: { try await addOrders($1, of: Sessions.kenji, in: .jpy, to: $0) }
    )

    private static func addOrders(
        _ count: Int,
        of user: String = "amara",
        in currency: Currency = .eur,
        to subject: SanctuarySubject
    ) async throws -> [Order] {
        var orders: [Order] = []
        for index in 0..<count {
            let price = Money(minorUnits: Int64(index), currency: currency)
            orders.append(
                try await subject.probe.addOrder([OrderLine(article: "meat", quantity: 1, unitPrice: price)], of: user)
            )
        }
        return orders
    }

    private static let messages = list(
        of: .messages,
        SanctuaryCalls.messages,
        grow: { _ = try await $0.probe.seedMessages($1) },
        remove: { try await $0.probe.deleteMessage($1.id) },
        seed: { subject, count in
            try await subject.signIn()
            return try await subject.probe.seedMessages(count)
        }
    )

    /// - Parameter seedOther: adds items that only another user sees; nil if all users see the same.
    private static func list<Item>(
        of operation: SanctuaryOperation,
        _ call: PortCall<SanctuarySubject, ListQuery, ListPage<Item>>,
        selection: ListSelection<SanctuarySubject, Item>? = nil,
        grow: @escaping @Sendable (SanctuarySubject, _ count: Int) async throws -> Void,
        remove: (@Sendable (SanctuarySubject, Item) async throws -> Void)? = nil,
        seed: @escaping @Sendable (SanctuarySubject, _ count: Int) async throws -> [Item],
        seedOther: (@Sendable (SanctuarySubject, _ count: Int) async throws -> [Item])? = nil
    ) -> ListOperation<SanctuarySubject, Item> {
        ListOperation(
            call: call,
            instances: ListInstances(
                capability: Capability.instances.tag,
                another: Instances.another,
                prepare: { try await $0.signIn() },
                otherUser: .init(signIn: Sessions.signInKenji, seed: seedOther),
                close: { await $0.services.close() }
            ),
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
                // Forbidden calls are not retried.
                if fails {
                    try await subject.probe.inject(.status(403), on: operation, times: 100)
                } else {
                    try await subject.probe.clearFaults()
                }
            },
            grow: grow,
            remove: remove,
            selection: selection
        )
    }
}
