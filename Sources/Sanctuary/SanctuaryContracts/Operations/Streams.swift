import Cofferdam
import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The ports' streams.
enum Streams {
    static let rules = Rule.each([
        (MessagesOperations.events.name, messages.rules), (AccessoriesOperations.events.name, accessories.rules),
    ])
    /// Mutants that are killed only by a rule's timeout run for one stream, not for each. STRM-10 does not apply: no
    /// stream here reconnects automatically.
    static let mutants = Mutant.each([
        (MessagesOperations.events.name, messages.mutants.filter { $0.rule != "STRM-10" }),
        (
            AccessoriesOperations.events.name,
            accessories.mutants.filter { !["STRM-04", "STRM-06", "STRM-09", "STRM-10"].contains($0.rule) }
        ),
    ])

    static let messages = StreamOperation<SanctuarySubject, MessageEvent>(
        stream: PortStream(MessagesOperations.events, at: .messages),
        vendor: vendor(of: .messages, .messageEvents) { subject, number in
            // Several lines, and letters of several bytes.
            let text = "message\nnúmero 🦁\n\(number)"
            subject.sentMessage.id = try await subject.probe.postMessage(author: "kenji", text: text).id
        },
        number: { event in
            guard case .received(let message) = event else { return nil }
            return message.text.split(separator: "\n").last.flatMap { Int($0) }
        },
        removal: .init(
            remove: { subject, _ in
                guard let id = subject.sentMessage.id else { return }
                try await subject.probe.deleteMessage(id)
            },
            isRemoval: { if case .deleted = $0 { true } else { false } }
        ),
        endsInOrder: false,
        overflow: .init(
            bound: 1024,
            isError: { SanctuaryError.isCode(.truncated, $0) },
            waitForDrops: { try await $0.probe.waitForDrops(of: .messages, atLeast: $1) }
        ),
        orderlyEnd: .orderlyEnd,
        countedDrops: .countedDrops
    )

    static let accessories = StreamOperation<SanctuarySubject, AccessoryEvent>(
        stream: PortStream(AccessoriesOperations.events, at: .accessories),
        vendor: vendor(of: .accessories, .accessoryEvents) { subject, number in
            guard let battery = Battery(percent: number % 101) else { return }
            try await subject.probe.updateAccessory(numbered, name: "scale\n🐢\n\(number)", battery: battery)
        },
        number: { event in
            switch event {
            case .current(let accessories): accessories.first { $0.id == numbered }?.number ?? 0
            case .changed(let accessory): accessory.id == numbered ? accessory.number : nil
            case .removed: nil
            }
        },
        isWhole: { if case .current = $0 { true } else { false } },
        beginning: { .current(try await $0.services.accessories.accessories()) },
        removal: .init(
            remove: { subject, _ in try await subject.probe.removeAccessory(numbered) },
            isRemoval: { $0 == .removed(numbered) }
        ),
        endsInOrder: false,
        // A vendor that drops events itself and then sends everything again never fills the adapter's own buffer, so
        // there are no drops to count.
        overflow: .init(bound: 1024),
        orderlyEnd: .orderlyEnd
    )

    private static let numbered = AccessoryID("scale-strm")

    private static func vendor<Event>(
        of stream: SanctuaryStream,
        _ operation: SanctuaryOperation,
        send: @escaping @Sendable (SanctuarySubject, Int) async throws -> Void
    ) -> StreamOperation<SanctuarySubject, Event>.Vendor {
        .init(
            prepare: { subject in
                try await subject.probe.reset(.empty)
                try await subject.signIn()
            },
            send: send,
            waitForSubscribers: { try await $0.probe.waitForSubscribers(of: stream, exactly: $1) },
            cause: { try await $0.probe.simulate($1, on: stream) },
            // A stream may be several calls.
            inject: { try await $0.probe.inject($1, on: operation, times: 4) }
        )
    }
}

extension Accessory {
    fileprivate var number: Int? { name.split(separator: "\n").last.flatMap { Int($0) } }
}

/// Returns the elements up to and including the first one for which `isLast` is true.
func collect<Events: AsyncSequence & Sendable>(
    _ events: Events,
    until isLast: @Sendable (Events.Element) -> Bool
) async throws -> [Events.Element] where Events.Element: Sendable {
    var elements: [Events.Element] = []
    for try await event in events {
        elements.append(event)
        if isLast(event) { break }
    }
    return elements
}
