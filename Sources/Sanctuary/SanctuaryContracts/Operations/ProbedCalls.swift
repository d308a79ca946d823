import CofferdamContracts
import SanctuaryDomain

/// The ports' operations with the vendor's side of each, always asked for the same.
enum ProbedCalls {
    /// What needs nobody to be signed in.
    static let open = [
        probed(SanctuaryCalls.animal, with: AnimalID("1"), .animal),
        probed(SanctuaryCalls.animals, with: ListQuery(limit: 5), .animals, isSteady: false),
        probed(SanctuaryCalls.photo, with: AnimalID("1"), .photo),
        probed(SanctuaryCalls.accessories, with: (), .accessories),
    ]

    /// What needs somebody to be signed in.
    static let signedIn = [
        probed(SanctuaryCalls.orders, with: ListQuery(limit: 5), .orders),
        probed(SanctuaryCalls.messages, with: ListQuery(limit: 5), .messages, isSteady: false),
        probed(AnyPortCall(SanctuaryCalls.order) { try $0.knownOrder }, .order),
        probed(SanctuaryCalls.place, with: OrderDraft(lines: [line], key: "probed"), .place, isReading: false),
        probed(SanctuaryCalls.send, with: MessageDraft(text: "hello", key: "probed"), .send, isReading: false),
    ]

    fileprivate static let line = OrderLine(
        article: "meat",
        quantity: 1,
        unitPrice: Money(minorUnits: 450, currency: .eur)
    )

    /// - Parameter isSteady: false for a list whose cursors a vendor may make anew each time.
    private static func probed<Input: Sendable, Output: Sendable>(
        _ call: PortCall<SanctuarySubject, Input, Output>,
        with input: Input,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        isSteady: Bool? = nil
    ) -> ProbedCall<SanctuarySubject> {
        probed(AnyPortCall(call, with: input), operation, isReading: isReading, isSteady: isSteady)
    }

    private static func probed(
        _ call: AnyPortCall<SanctuarySubject>,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        isSteady: Bool? = nil
    ) -> ProbedCall<SanctuarySubject> {
        ProbedCall(
            call,
            isReading: isReading,
            isSteady: isSteady,
            inject: { try await $0.probe.inject($1, on: operation, times: $2) },
            arrivals: { try await $0.probe.calls(of: operation) },
            waitForArrivals: { try await $0.probe.waitForCalls(of: operation, atLeast: $1) }
        )
    }
}

extension SanctuarySubject {
    /// The vendor as on its first day, and an order of the subject's user.
    func prepareSeeded() async throws {
        try await probe.reset(.seeded)
        order.id = try await probe.addOrder([ProbedCalls.line]).id
    }

    fileprivate var knownOrder: OrderID {
        get throws {
            guard let id = order.id else { throw SanctuaryError(.notFound, "no order was added") }
            return id
        }
    }
}

extension HeldCalls<SanctuarySubject> {
    static let vendor = HeldCalls(
        wait: { try await $0.probe.waitForHeld(exactly: $1) },
        release: { try await $0.probe.releaseHeld() }
    )
}
