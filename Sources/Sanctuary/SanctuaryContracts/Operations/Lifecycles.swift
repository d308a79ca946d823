import CofferdamContracts
import SanctuaryDomain

/// Instances, many calls at once, and whole programs of calls.
enum Lifecycles {
    static let rules = instances.rules + programs.rules.bounded(by: .seconds(20))
    static let mutants = instances.mutants + programs.mutants

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
