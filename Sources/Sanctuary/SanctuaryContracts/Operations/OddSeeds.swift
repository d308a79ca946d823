import CofferdamContracts
import SanctuaryDomain

/// Seeds records of which one is odd. It is part of a subject, so that a mutant can imitate an adapter whose decoder is
/// too strict.
struct OddSeeds: Sendable {
    typealias Seed<ID: Sendable & Hashable, Entity: Sendable & Hashable> =
        @Sendable (SanctuarySubject, PayloadOddity) async throws -> OddSeed<ID, Entity>

    var animals: Seed<AnimalID, Animal> = { subject, oddity in
        try await subject.probe.reset(.empty)
        return try await subject.odd(oddity, among: try await subject.probe.seedAnimals(20)) { .animal($0) }
    }

    var orders: Seed<OrderID, Order> = { subject, oddity in
        try await subject.probe.reset(.empty)
        try await subject.signIn()
        var orders: [Order] = []
        for index in 0..<7 {
            let price = Money(minorUnits: Int64(100 + index), currency: .eur)
            orders.append(
                try await subject.probe.addOrder([OrderLine(article: "meat", quantity: 1, unitPrice: price)])
            )
        }
        return try await subject.odd(oddity, among: orders) { .order($0) }
    }

    var messages: Seed<MessageID, Message> = { subject, oddity in
        try await subject.probe.reset(.empty)
        try await subject.signIn()
        return try await subject.odd(oddity, among: try await subject.probe.seedMessages(7)) { .message($0) }
    }

    var accessories: Seed<AccessoryID, Accessory> = { subject, oddity in
        try await subject.probe.reset(.empty)
        var accessories: [Accessory] = []
        for percent in 50..<57 {
            guard let battery = Battery(percent: percent) else { continue }
            let id = AccessoryID("collar-\(percent)")
            accessories.append(
                try await subject.probe.updateAccessory(id, name: "Collar \(percent)", battery: battery)
            )
        }
        return try await subject.odd(oddity, among: accessories) { .accessory($0) }
    }

    /// Returns one kind of seeding as a call that a mutant can replace.
    static func call<ID: Sendable & Hashable, Entity: Sendable & Hashable>(
        _ name: String,
        _ path: any WritableKeyPath<OddSeeds, Seed<ID, Entity>> & Sendable
    ) -> PortCall<SanctuarySubject, PayloadOddity, OddSeed<ID, Entity>> {
        PortCall(
            "\(name), of which one is odd",
            get: { subject in { try await subject.oddSeeds[keyPath: path](subject, $0) } },
            replace: { subject, perform in
                var subject = subject
                subject.oddSeeds[keyPath: path] = { try await perform($1) }
                return subject
            }
        )
    }
}

extension SanctuarySubject {
    /// Makes the fourth entity odd. Of seven, it is the fourth from either end: an error names the index in the
    /// vendor's answer, and one vendor returns the newest message first.
    fileprivate func odd<Entity: Identifiable & Sendable & Hashable>(
        _ oddity: PayloadOddity,
        among entities: [Entity],
        _ record: (Entity.ID) -> SanctuaryRecord
    ) async throws -> OddSeed<Entity.ID, Entity> where Entity.ID: Sendable {
        try await probe.makeOdd(record(entities[3].id), oddity)
        return OddSeed(entities.map { GetSample($0.id, $0) }, odd: 3)
    }
}
