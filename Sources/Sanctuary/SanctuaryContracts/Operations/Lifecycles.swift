import CofferdamContracts
import SanctuaryDomain

/// Instances, many calls at once, and whole programs of calls.
enum Lifecycles {
    static let rules =
        instances.rules + programs.rules.bounded(by: .seconds(20)) + session.rules
        + place.rules.map { $0.of("place") }
    static let mutants =
        instances.mutants + programs.mutants + session.mutants + place.mutants.map { $0.of("place") }

    private static let session = RelaunchedSession<SanctuarySubject>(
        opening: Instances.opening,
        signIn: { subject in
            try await subject.probe.reset(.empty)
            try await subject.signIn()
        },
        signOut: { try await $0.services.accounts.signOut() },
        user: PortCall(
            "state",
            get: { subject in
                { _ in
                    if case .signedIn(let account) = try await subject.services.accounts.state() {
                        account.id
                    } else {
                        nil
                    }
                }
            },
            replace: { subject, _ in subject }
        ),
        call: AnyPortCall(SanctuaryCalls.orders, with: ListQuery(limit: 5))
    )

    private static let place = RelaunchedWrite<SanctuarySubject, OrderDraft, Order>(
        call: SanctuaryCalls.place,
        opening: Instances.opening,
        prepare: { subject in
            try await subject.probe.reset(.empty)
            try await subject.signIn()
            let price = Money(minorUnits: 450, currency: .eur)
            return OrderDraft(lines: [OrderLine(article: "meat", quantity: 3, unitPrice: price)], key: "LIFE-07")
        },
        another: { OrderDraft(lines: $0.lines, key: $0.key + "-again") },
        loseAnswers: { subject, loses in
            guard loses else { return try await subject.probe.clearFaults() }
            try await subject.probe.inject(.appliedThenReset, on: .place, times: 100)
        },
        written: { try await $0.services.orders.orders(PageRequest()).items }
    )

    private static let instances = LifecycleOperation(
        call: SanctuaryCalls.animal,
        opening: Instances.opening,
        another: Instances.another,
        instances: Capability.instances.tag,
        isUnreachable: { SanctuaryError.isCode(.unreachable, $0) },
        seed: { subject, count in
            try await subject.probe.reset(.empty)
            return try await subject.probe.seedAnimals(count).map { ($0.id, $0) }
        },
        hold: { try await $0.probe.inject(.hold, on: .animal, times: 10) },
        waitForCalls: { try await $0.probe.waitForCalls(of: .animal, atLeast: $1) },
        sharedState: sharedState
    )

    private static let programs = ModelledOperation<SanctuarySubject, OrderDraft, Order>(
        SanctuaryCalls.place,
        offByOne: { draft in
            var draft = draft
            for index in draft.lines.indices { draft.lines[index].quantity += 1 }
            return draft
        },
        programs: [
            ModelCheck(CatalogueModel(), programs: 5).violations,
            ModelCheck(OrdersModel(), programs: 5).violations,
            ModelCheck(MessagesModel(), programs: 5).violations,
            ModelCheck(AccessoriesModel(), programs: 5).violations,
        ],
        histories: [
            LinearizabilityCheck(OrdersModel(isConcurrent: true), programs: 5).violations,
            LinearizabilityCheck(MessagesModel(isConcurrent: true), programs: 5).violations,
            LinearizabilityCheck(AccessoriesModel(isConcurrent: true), programs: 5).violations,
        ]
    )

    /// Signs in on one of two, and closes the other.
    private static func sharedState(of one: SanctuarySubject, and other: SanctuarySubject) async throws -> String? {
        try await one.signIn()
        let state = try await other.services.accounts.state()
        guard state == .signedOut else { return "signed in on one instance, the other is \(state)" }
        await other.services.close()
        do {
            _ = try await one.services.orders.orders(PageRequest())
        } catch let error as SanctuaryError {
            return "one instance was closed, and the other one says \(error)"
        }
        return nil
    }
}
