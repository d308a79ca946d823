import CofferdamContracts
import SanctuaryDomain

/// The ports' operations with the vendor's side of each. What creates something gets another key for each attempt.
enum ProbedCalls {
    /// What needs nobody to be signed in.
    static let open = [
        probed(SanctuaryCalls.animal, .animal) { _ in AnimalID("1") },
        probed(SanctuaryCalls.animals, .animals, comparable: \.items) { _ in ListQuery(limit: 5) },
        probed(SanctuaryCalls.photo, .photo) { _ in AnimalID("1") },
        probed(SanctuaryCalls.accessories, .accessories) { _ in },
    ]

    /// What needs somebody to be signed in.
    static let signedIn = [
        probed(SanctuaryCalls.orders, .orders, comparable: \.items) { _ in ListQuery(limit: 5) },
        probed(SanctuaryCalls.messages, .messages, comparable: \.items) { _ in ListQuery(limit: 5) },
        probed(SanctuaryCalls.order, .order) { try $0.knownOrder }, place, send,
    ]

    static let place = probed(SanctuaryCalls.place, .place, isReading: false, comparable: \.lines) { subject in
        OrderDraft(lines: [line], key: "probed \(subject.numbers.next())")
    }

    static let send = probed(SanctuaryCalls.send, .send, isReading: false, comparable: { [$0.author, $0.text] }) {
        MessageDraft(text: "hello", key: "probed \($0.numbers.next())")
    }

    fileprivate static let line = OrderLine(
        article: "meat",
        quantity: 1,
        unitPrice: Money(minorUnits: 450, currency: .eur)
    )

    /// - Parameters:
    ///   - comparable: what of the answer is the same each time; a vendor may make the cursors of a list anew.
    ///   - input: what is asked for, made anew for each attempt.
    private static func probed<Input: Sendable, Output: Sendable, Comparable: Sendable>(
        _ call: PortCall<SanctuarySubject, Input, Output>,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        comparable: @escaping @Sendable (Output) -> Comparable,
        input: @escaping @Sendable (SanctuarySubject) throws -> Input
    ) -> ProbedCall<SanctuarySubject> {
        ProbedCall(
            AnyPortCall(call, input: input),
            isReading: isReading,
            comparable: { answer in (answer as? Output).map { comparable($0) } ?? answer },
            inject: { try await $0.probe.inject($1, on: operation, times: $2) },
            arrivals: { try await $0.probe.calls(of: operation) },
            waitForArrivals: { try await $0.probe.waitForCalls(of: operation, atLeast: $1) },
            users: { try await $0.probe.callers(of: operation) }
        )
    }

    private static func probed<Input: Sendable, Output: Sendable>(
        _ call: PortCall<SanctuarySubject, Input, Output>,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        input: @escaping @Sendable (SanctuarySubject) throws -> Input
    ) -> ProbedCall<SanctuarySubject> {
        probed(call, operation, isReading: isReading, comparable: { $0 }, input: input)
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
