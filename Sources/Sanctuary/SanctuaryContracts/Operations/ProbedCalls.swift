import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The ports' operations, each with the vendor's side. Operations that create something use a new key for each attempt.
enum ProbedCalls {
    /// The operations that the vendor cannot hold as one call.
    static let exempt = [
        ExemptOperation(
            SanctuaryCalls.activate.name,
            because:
                "at one vendor it is several calls, as many as what was active before makes of it"
        ),
        ExemptOperation("signOut", because: "it forgets the session on the device, and is not held up by a vendor"),
        ExemptOperation("state", because: "it tells what is kept on the device, and asks no vendor"),
    ]

    /// Signing in, which needs no session.
    static let signIn = probed(
        SanctuaryCalls.signIn,
        .signIn,
        isReading: false,
        repetition: .harmless,
        another: { Credentials(user: Sessions.kenji, password: $0.credentials.password) },
        input: { $0.credentials }
    )

    /// The operations that need no signed-in user.
    static let open = [
        probed(SanctuaryCalls.animal, .animal, another: { _ in AnimalID("2") }) { _ in AnimalID("1") },
        probed(
            SanctuaryCalls.animals,
            .animals,
            comparable: \.items,
            another: { _ in ListQuery(limit: 2) },
            input: { _ in ListQuery(limit: 5) }
        ),
        probed(SanctuaryCalls.photo, .photo, another: { _ in AnimalID("2") }) { _ in AnimalID("1") },
        probed(SanctuaryCalls.accessories, .accessories) { _ in }, scan, perform, release, nicknames, setNickname,
    ]

    /// The operations that need a signed-in user.
    static let signedIn = [
        probed(
            SanctuaryCalls.orders,
            .orders,
            comparable: \.items,
            another: { _ in ListQuery(limit: 1) },
            input: { _ in ListQuery(limit: 5) }
        ),
        probed(
            SanctuaryCalls.messages,
            .messages,
            comparable: \.items,
            another: { _ in ListQuery(limit: 2) },
            input: { _ in ListQuery(limit: 5) }
        ),
        probed(SanctuaryCalls.order, .order, another: { try $0.knownOrder(1) }) { try $0.knownOrder(0) }, place, send,
    ]

    // MARK: Orders and messages

    /// Placing an order. Without keys at the vendor, the adapter searches for the order before it sends the next one.
    static let place = probed(
        SanctuaryCalls.place,
        .place,
        isReading: false,
        repetition: .known(by: Capability.idempotencyKeys.tag),
        isSerial: true,
        comparable: \.lines,
        another: { OrderDraft(lines: [line, line], key: "probed \($0.numbers.next())") },
        input: { OrderDraft(lines: [line], key: "probed \($0.numbers.next())") }
    )

    static let send = probed(
        SanctuaryCalls.send,
        .send,
        isReading: false,
        comparable: { [$0.author, $0.text] },
        another: { MessageDraft(text: "goodbye", key: "probed \($0.numbers.next())") },
        input: { MessageDraft(text: "hello", key: "probed \($0.numbers.next())") }
    )

    fileprivate static let line = OrderLine(
        article: "meat",
        quantity: 1,
        unitPrice: Money(minorUnits: 450, currency: .eur)
    )

    // MARK: Accessories

    static let scan = probed(SanctuaryCalls.scan, .accessories, isShared: true) { _ in }

    /// A command to the accessory that is active in the baseline.
    static let perform = probed(SanctuaryCalls.perform, .perform, isReading: false) { _ in
        (.identify, AccessoryID("collar-1"))
    }

    private static let release = probed(
        SanctuaryCalls.release,
        .release,
        isReading: false,
        repetition: .harmless,
        isSerial: true
    ) { _ in AccessoryID("scale-1") }

    private static let nicknames = probed(
        SanctuaryCalls.nicknames,
        .accessories,
        requires: [Capability.nicknames.tag],
        comparable: { $0.map { "\($0): \($1)" }.sorted() },
        input: { _ in }
    )

    private static let setNickname = probed(
        SanctuaryCalls.setNickname,
        .nickname,
        isReading: false,
        repetition: .harmless,
        requires: [Capability.nicknames.tag]
    ) { ("name \($0.numbers.next())", AccessoryID("collar-1")) }

    // MARK: Building a probed call

    /// - Parameters:
    ///   - comparable: returns the part of the answer that is the same each time; a vendor may issue new cursors for a
    ///     list.
    ///   - another: an alternative input with a different answer.
    ///   - input: creates the input of each attempt.
    private static func probed<Input: Sendable, Output: Sendable, Comparable: Sendable>(
        _ call: PortCall<SanctuarySubject, Input, Output>,
        _ operation: SanctuaryOperation,
        isReading: Bool = true,
        repetition: ProbedCall<SanctuarySubject>.Repetition? = nil,
        isSerial: Bool = false,
        isShared: Bool = false,
        requires: Set<CapabilityTag> = [],
        comparable: @escaping @Sendable (Output) -> Comparable,
        another: (@Sendable (SanctuarySubject) throws -> Input)? = nil,
        input: @escaping @Sendable (SanctuarySubject) throws -> Input
    ) -> ProbedCall<SanctuarySubject> {
        ProbedCall(
            AnyPortCall(call, input: input),
            another: another.map { AnyPortCall(call, input: $0) },
            isReading: isReading,
            repetition: repetition,
            isSerial: isSerial,
            isShared: isShared,
            requires: requires,
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
        repetition: ProbedCall<SanctuarySubject>.Repetition? = nil,
        isSerial: Bool = false,
        isShared: Bool = false,
        requires: Set<CapabilityTag> = [],
        another: (@Sendable (SanctuarySubject) throws -> Input)? = nil,
        input: @escaping @Sendable (SanctuarySubject) throws -> Input
    ) -> ProbedCall<SanctuarySubject> {
        probed(
            call,
            operation,
            isReading: isReading,
            repetition: repetition,
            isSerial: isSerial,
            isShared: isShared,
            requires: requires,
            comparable: { $0 },
            another: another,
            input: input
        )
    }
}

extension SanctuarySubject {
    /// Resets the vendor to its seeded baseline, and adds two orders of the subject's user.
    func prepareSeeded() async throws {
        try await probe.reset(.seeded)
        orders.id = [
            try await probe.addOrder([ProbedCalls.line]).id,
            try await probe.addOrder([ProbedCalls.line, ProbedCalls.line]).id,
        ]
    }

    fileprivate func knownOrder(_ index: Int) throws -> OrderID {
        let ids = orders.id ?? []
        guard ids.indices.contains(index) else { throw SanctuaryError(.notFound, "no order was added") }
        return ids[index]
    }
}

extension HeldCalls<SanctuarySubject> {
    static let vendor = HeldCalls(
        wait: { try await $0.probe.waitForHeld(exactly: $1) },
        release: { try await $0.probe.releaseHeld() }
    )
}
