import CofferdamContracts
import SanctuaryDomain

/// Rules for instances, for concurrent calls and for random programs of calls.
enum Lifecycles {
    static let rules =
        instances.rules + programs.rules.bounded(by: .seconds(20)) + session.rules
    static let mutants = instances.mutants + programs.mutants + session.mutants

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

    private static let instances = LifecycleOperation<SanctuarySubject>(
        calls: ProbedCalls.open + ProbedCalls.signedIn + [ProbedCalls.signIn],
        needingSession: Set(ProbedCalls.signedIn.map(\.name)),
        questions: [
            SanctuaryCalls.animal.name: { subject in
                let animals = try await subject.services.catalogue.animals(AnimalsRequest(PageRequest(limit: 50)))
                return animals.items.map { AnyPortCall(SanctuaryCalls.animal, with: $0.id) }
            }
        ],
        opening: Instances.opening,
        instances: .init(
            capability: Capability.instances.tag,
            another: Instances.another,
            sharedState: sharedState
        ),
        isUnreachable: { SanctuaryError.isCode(.unreachable, $0) },
        prepare: { subject in
            try await subject.prepareSeeded()
            try await subject.signIn()
        },
        held: .vendor
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

    /// Signs in on one of two instances and closes the other; returns a failure if they share state.
    private static func sharedState(of one: SanctuarySubject, and other: SanctuarySubject) async throws -> String? {
        try await one.probe.reset(.empty)
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
