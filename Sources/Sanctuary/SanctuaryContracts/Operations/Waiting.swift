import CofferdamContracts
import SanctuaryDomain

/// Rules for the writes that carry a key, and for the messages that are kept until they can be sent (D26).
enum Waiting {
    static let rules = Rule.each([("place", place.rules), ("send", send.rules)])
    static let mutants = Mutant.each([("place", place.mutants), ("send", send.mutants)])

    private static let place = WaitingWrite<SanctuarySubject, OrderDraft, Order>(
        call: SanctuaryCalls.place,
        draft: { content, key in
            let price = Money(minorUnits: 450, currency: .eur)
            return OrderDraft(lines: [OrderLine(article: content, quantity: 1, unitPrice: price)], key: key)
        },
        another: { OrderDraft(lines: $0.lines, key: $0.key + "-again") },
        shows: { $0.lines.map(\.article).joined() },
        opening: Instances.opening,
        reach: reach,
        instances: .init(capability: Capability.instances.tag, another: Instances.another),
        vendor: vendor(of: .place),
        unreachable: unreachable,
        isUnreachable: { SanctuaryError.isCode(.unreachable, $0) }
    )

    /// Two instances do not know each other's keys: at one vendor they are no part of a message.
    private static let send = WaitingWrite<SanctuarySubject, MessageDraft, Message>(
        call: SanctuaryCalls.send,
        draft: { MessageDraft(text: $0, key: $1) },
        another: { MessageDraft(text: $0.text, key: $0.key + "-again") },
        shows: \.text,
        keeping: .init(
            refused: { MessageDraft(text: String(repeating: "a", count: 4001), key: $0) },
            isRefused: { SanctuaryError.isCode(.invalidRequest, $0) },
            isReported: { subject, key in try await subject.probe.output().contains { $0.contains(key) } },
            secondUser: Sessions.kenji,
            signInSecond: Sessions.signInKenji,
            signOut: { try await $0.services.accounts.signOut() }
        ),
        opening: Instances.opening,
        reach: reach,
        vendor: vendor(of: .send),
        unreachable: unreachable,
        isUnreachable: { SanctuaryError.isCode(.unreachable, $0) },
        // A vendor that uses the key as the message's id reports that it is taken.
        isMadeBefore: { SanctuaryError.isCode(.conflict, $0) }
    )

    private static let unreachable = SanctuaryError(.unreachable, "the vendor cannot be reached")

    private static let reach = PortCall<SanctuarySubject, Bool, SanctuarySubject>(
        "reach",
        get: { subject in
            { isReachable in
                guard let reach = subject.reach else { throw UnmetRequirements(harnessCapabilities: [.relaunch]) }
                return try await reach(isReachable)
            }
        },
        replace: { subject, perform in
            var subject = subject
            subject.reach = perform
            return subject
        }
    )

    private static func vendor<Draft, Entity>(
        of operation: SanctuaryOperation
    ) -> WaitingWrite<SanctuarySubject, Draft, Entity>.Vendor {
        .init(
            user: "amara",
            reset: { try await $0.probe.reset(.empty) },
            signIn: { try await $0.signIn() },
            contents: { try await $0.probe.contentsHeld(of: operation, by: $1) },
            loseAnswers: { subject, loses in
                guard loses else { return try await subject.probe.clearFaults() }
                for operation in [operation, .deliver] {
                    try await subject.probe.inject(.appliedThenReset, on: operation, times: 100)
                }
            },
            hold: { try await $0.probe.inject(.hold, on: operation, times: 1) },
            held: .vendor
        )
    }
}
