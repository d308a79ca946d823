import CofferdamContracts
import SanctuaryDomain

extension SanctuaryCalls {
    static let animal = PortCall<SanctuarySubject, AnimalID, Animal>(
        "animal",
        get: { subject in { try await subject.services.catalogue.animal($0) } },
        replace: { subject, perform in subject.replacingAnimal { _, id in try await perform(id) } }
    )

    static let place = PortCall<SanctuarySubject, OrderDraft, Order>(
        "place",
        get: { subject in { try await subject.services.orders.place($0) } },
        replace: { subject, perform in
            var subject = subject
            subject.services.orders = MutatedOrders(
                clean: subject.services.orders,
                place: { _, draft in try await perform(draft) }
            )
            return subject
        }
    )
}
