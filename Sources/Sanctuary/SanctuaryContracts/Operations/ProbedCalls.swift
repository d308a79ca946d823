import CofferdamContracts
import SanctuaryDomain

/// The ports' operations with the vendor's side of each, always asked for the same.
enum ProbedCalls {
    /// What needs nobody to be signed in; the first is one that mutants can replace.
    static let open = [
        probed(AnyPortCall(SanctuaryCalls.animal, with: AnimalID("1")), .animal),
        // A vendor's cursors may be others each time.
        probed(AnyPortCall(SanctuaryCalls.animals, with: ListQuery(limit: 5)), .animals, isReading: false),
        probed("photo", .photo) { try await $0.services.photos.photo(of: AnimalID("1")) },
        probed("accessories", .accessories) { try await $0.services.accessories.accessories() },
    ]

    static let orders = probed(AnyPortCall(SanctuaryCalls.orders, with: ListQuery(limit: 5)), .orders)

    /// What else needs somebody to be signed in.
    static let signedIn = [
        probed("messages", .messages, isReading: false) {
            try await $0.services.messages.messages(PageRequest(limit: 5))
        },
        probed("order", .order, isReading: false) { try await $0.services.orders.order(OrderID("o-1")) },
        probed("place", .place, isReading: false) { subject in
            let line = OrderLine(article: "meat", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur))
            return try await subject.services.orders.place(OrderDraft(lines: [line], key: "probed"))
        },
        probed("send", .send, isReading: false) { subject in
            try await subject.services.messages.send(MessageDraft(text: "hello", key: "probed"))
        },
    ]

    /// - Parameter isReading: with the same answer each time.
    private static func probed(
        _ name: String,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        _ perform: @escaping @Sendable (SanctuarySubject) async throws -> any Sendable
    ) -> ProbedCall<SanctuarySubject> {
        probed(AnyPortCall(name, perform: perform), operation, isReading: isReading)
    }

    private static func probed(
        _ call: AnyPortCall<SanctuarySubject>,
        _ operation: SanctuaryOperation,
        isReading: Bool = true
    ) -> ProbedCall<SanctuarySubject> {
        ProbedCall(
            call,
            isReading: isReading,
            inject: { try await $0.probe.inject($1, on: operation, times: $2) },
            arrivals: { try await $0.probe.calls(of: operation) },
            waitForArrivals: { try await $0.probe.waitForCalls(of: operation, atLeast: $1) }
        )
    }
}

extension HeldCalls<SanctuarySubject> {
    static let vendor = HeldCalls(
        wait: { try await $0.probe.waitForHeld(exactly: $1) },
        release: { try await $0.probe.releaseHeld() }
    )
}
