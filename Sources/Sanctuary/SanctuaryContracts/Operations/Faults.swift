import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The calls in which faults are injected, with the errors that the ports must throw.
enum Faults {
    static let operation = ErrorOperation<SanctuarySubject>(
        calls: [animal, animals, photo, accessories, orders, order, messages, place, send, activate, signIn]
            + otherCalls,
        streams: [messageEvents, accessoryEvents],
        statusTable: FaultTable.statuses,
        faultTable: FaultTable.faults,
        addressTable: Dictionary(
            uniqueKeysWithValues: DeadAddress.allCases.map { ($0, failure(.unreachable, isRetryable: true)) }
        ),
        decoding: SanctuaryError.Code.decoding.rawValue,
        modules: ["SanctuaryDomain"],
        read: { error in
            (error as? SanctuaryError).map { error in
                PortFailure(
                    category: error.code.rawValue,
                    isRetryable: error.isRetryable,
                    retryAfter: error.retryAfter
                )
            }
        },
        makeError: { SanctuaryError(SanctuaryError.Code(rawValue: $0), "made up") },
        prepare: { subject in
            try await subject.probe.reset(.empty)
            try await subject.signIn()
            // Makes the adapter send its token, and the vendor sign a URL if it does that.
            _ = try await subject.services.orders.orders(PageRequest())
            let id = try await subject.probe.addAnimal(cat)
            try await subject.probe.setPhoto([0x42, 0x4D], of: id)
            _ = try await subject.services.photos.photo(of: id)
        },
        opening: Instances.opening,
        secrets: { subject in
            // The vendor learns the refresh token only when it is used.
            try await subject.probe.expireAccessTokens()
            do {
                _ = try await subject.services.orders.orders(PageRequest())
            } catch is SanctuaryError {
                // The injected fault affects only orders.
                _ = try await subject.services.messages.messages(PageRequest())
            }
            return try await subject.probe.secrets()
        },
        output: { try await $0.probe.output() }
    ).requiring([Capability.nicknames.tag], of: ["nicknames", "setNickname"])

    private static let otherCalls = [
        faulty(SanctuaryCalls.scan, of: .accessories, fabricated: { _ in [] }) { _ in },
        faulty(SanctuaryCalls.release, of: .release, effect: .idempotent) { try await accessory(.linked, of: $0) },
        faulty(SanctuaryCalls.perform, of: .perform, effect: .write) {
            (.identify, try await accessory(.active, of: $0))
        },
        faulty(SanctuaryCalls.nicknames, of: .accessories, fabricated: { _ in [:] }) { _ in },
        faulty(SanctuaryCalls.setNickname, of: .nickname, effect: .idempotent) {
            ("Rex", try await accessory(nil, of: $0))
        },
    ]

    /// Adds an accessory.
    private static func accessory(_ link: Accessory.Link?, of subject: SanctuarySubject) async throws -> AccessoryID {
        let id = AccessoryID("err")
        return try await subject.probe.updateAccessory(
            id,
            name: "Collar",
            battery: Battery(percent: 57),
            link: link,
            lastSeen: nil
        ).id
    }

    private static let cat = AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1)

    private static let animal = faulty(
        SanctuaryCalls.animal,
        of: .animal,
        fabricated: { .fabricated($0) },
        input: { try await $0.probe.addAnimal(cat) }
    )

    private static let animals = faulty(
        SanctuaryCalls.animals,
        of: .animals,
        fabricated: { _ in ListPage(items: [], next: nil) },
        input: { _ in ListQuery(limit: 10) }
    )

    private static let orders = faulty(
        SanctuaryCalls.orders,
        of: .orders,
        needsSession: true,
        fabricated: { _ in ListPage(items: [], next: nil) },
        input: { _ in ListQuery(limit: 10) }
    )

    private static let photo = faulty(SanctuaryCalls.photo, of: .photo) { subject in
        let id = try await subject.probe.addAnimal(cat)
        try await subject.probe.setPhoto([0x42, 0x4D], of: id)
        return id
    }

    private static let accessories = faulty(SanctuaryCalls.accessories, of: .accessories, fabricated: { _ in [] }) {
        _ in
    }

    private static let order = faulty(SanctuaryCalls.order, of: .order, needsSession: true) { subject in
        try await subject.probe.addOrder([
            OrderLine(article: "meat", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur))
        ]).id
    }

    private static let messages = faulty(
        SanctuaryCalls.messages,
        of: .messages,
        needsSession: true,
        fabricated: { _ in ListPage(items: [], next: nil) }
    ) { _ in ListQuery(limit: 10) }

    // MARK: Changes

    private static let place = faulty(SanctuaryCalls.place, of: .place, effect: .write, needsSession: true) { subject in
        let line = OrderLine(article: "meat", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur))
        return OrderDraft(lines: [line], key: "ERR-\(subject.numbers.next())")
    }

    private static let send = faulty(SanctuaryCalls.send, of: .send, effect: .write, needsSession: true) { subject in
        MessageDraft(text: "hello", key: "ERR-\(subject.numbers.next())")
    }

    private static let activate = faulty(SanctuaryCalls.activate, of: .activate, effect: .idempotent) { subject in
        // A new accessory each time: activating an active one may need no call.
        let id = AccessoryID("err-\(subject.numbers.next())")
        if let battery = Battery(percent: 57) {
            try await subject.probe.updateAccessory(id, name: "Collar", battery: battery)
        }
        return id
    }

    private static let signIn = faulty(SanctuaryCalls.signIn, of: .signIn, secret: \Credentials.password) {
        $0.credentials
    }

    // MARK: Streams

    private static let messageEvents = faulty(
        PortStream(MessagesOperations.events, at: .messages),
        of: .messageEvents,
        needsSession: true
    )
    private static let accessoryEvents = faulty(
        PortStream(AccessoriesOperations.events, at: .accessories),
        of: .accessoryEvents
    )

    private static func faulty<Event: Sendable>(
        _ stream: PortStream<SanctuarySubject, Event>,
        of operation: SanctuaryOperation,
        needsSession: Bool = false
    ) -> FaultyCall<SanctuarySubject> {
        FaultyCall(
            stream,
            needsSession: needsSession,
            inject: { try await $0.probe.inject($1, on: operation, times: 1000) },
            clear: { try await $0.probe.clearFaults() },
            arrivals: { try await $0.probe.calls(of: operation) }
        )
    }

    private static func faulty<Input: Sendable, Output: Sendable>(
        _ call: PortCall<SanctuarySubject, Input, Output>,
        of operation: SanctuaryOperation,
        effect: Effect = .read,
        needsSession: Bool = false,
        secret: (any WritableKeyPath<Input, String> & Sendable)? = nil,
        fabricated: (@Sendable (Input) -> Output)? = nil,
        input: @escaping @Sendable (SanctuarySubject) async throws -> Input
    ) -> FaultyCall<SanctuarySubject> {
        FaultyCall(
            call,
            effect: effect,
            needsSession: needsSession,
            input: input,
            secret: secret,
            fabricated: fabricated,
            // More often than a vendor's SDK retries and follows redirects.
            inject: { try await $0.probe.inject($1, on: operation, times: 1000) },
            clear: { try await $0.probe.clearFaults() },
            arrivals: { try await $0.probe.calls(of: operation) }
        )
    }

    private static func failure(_ code: SanctuaryError.Code, isRetryable: Bool) -> PortFailure {
        PortFailure(category: code.rawValue, isRetryable: isRetryable)
    }
}
