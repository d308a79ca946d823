import CofferdamContracts
import SanctuaryDomain

/// STRM: what happens, as it happens.
enum StreamRules {
    static let all: [Rule<SanctuarySubject>] = [inOrder, release]

    private static let inOrder = Rule<SanctuarySubject>(
        "STRM-01",
        "Events are delivered one at a time in their order; accessories begin with what is there now"
    ) { subject, context in
        try await subject.probe.reset(.seeded)
        try await subject.signIn()
        return try await messagesInOrder(subject, context) + accessoriesInOrder(subject, context)
    }

    private static func messagesInOrder(
        _ subject: SanctuarySubject,
        _ context: RuleContext
    ) async throws -> [Violation] {
        var findings = Findings()
        let texts = (1...50).map { "message \($0)" }
        let consumer = context.task {
            try await collect(subject.services.messages.events()) { $0.text == texts.last }
        }
        defer { consumer.cancel() }
        try await context.within("one subscriber to messages") {
            try await subject.probe.waitForSubscribers(of: .messages, exactly: 1)
        }
        for text in texts { _ = try await subject.probe.postMessage(author: "kenji", text: text) }
        let received = try await context.within("\(texts.count) message events") { try await consumer.value }
        findings.expectEqual(received.map(\.text), texts, "messages")
        return findings.violations
    }

    private static func accessoriesInOrder(
        _ subject: SanctuarySubject,
        _ context: RuleContext
    ) async throws -> [Violation] {
        var findings = Findings()
        let current = AccessoryEvent.current(try await subject.services.accessories.accessories())
        let scale = AccessoryID("scale-strm-01")
        let last = 20
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let consumer = context.task {
            try await collect(subject.services.accessories.events()) { event in
                begin.yield()
                return event.level(of: scale) == last
            }
        }
        defer { consumer.cancel() }
        try await context.within("one subscriber to accessories") {
            try await subject.probe.waitForSubscribers(of: .accessories, exactly: 1)
        }
        // What changes before the first event may be part of it.
        try await context.within("the first accessory event") { for await _ in begun { break } }
        for battery in (1...last).compactMap(Battery.init(percent:)) {
            try await subject.probe.updateAccessory(scale, name: "scale", battery: battery)
        }
        let events = try await context.within("\(last) accessory changes") { try await consumer.value }
        findings.expectEqual(events.first, current, "first accessory event")
        let levels = events.map { ($0.level(of: scale), isWhole: $0.isCurrent) }
        for (previous, next) in zip(levels, levels.dropFirst()) {
            let (before, after) = (previous.0 ?? 0, next.0 ?? 0)
            // Single changes may be missing only where everything there is takes their place.
            findings.expect(
                next.isWhole ? after >= before : after == before + 1,
                "accessory changes: \(after) came after \(before)"
            )
        }
        return findings.violations
    }

    private static let release = Rule<SanctuarySubject>(
        "STRM-04",
        "Cancelling the consumer ends its task and the vendor's subscription in time",
        bound: .seconds(3)
    ) { subject, context in
        try await subject.probe.reset(.seeded)
        try await subject.signIn()
        let consumers: [(SanctuaryStream, @Sendable () async throws -> Void)] = [
            (.messages, { try await drain(subject.services.messages.events()) }),
            (.accessories, { try await drain(subject.services.accessories.events()) }),
        ]
        for (stream, consume) in consumers {
            let consumer = context.task(consume)
            defer { consumer.cancel() }
            try await context.within("one subscriber to \(stream)") {
                try await subject.probe.waitForSubscribers(of: stream, exactly: 1)
            }
            consumer.cancel()
            _ = try await context.within("the cancelled consumer of \(stream) ends") { await consumer.result }
            try await context.within("no subscriber to \(stream) after its consumer was cancelled") {
                try await subject.probe.waitForSubscribers(of: stream, exactly: 0)
            }
        }
        return []
    }
}

/// The elements up to the first one that `isLast` recognises.
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

private func drain<Events: AsyncSequence & Sendable>(_ events: Events) async throws {
    for try await _ in events {}
}

extension MessageEvent {
    fileprivate var text: String {
        switch self {
        case .received(let message): message.text
        case .deleted(let id): "deleted \(id)"
        }
    }
}

extension AccessoryEvent {
    fileprivate var isCurrent: Bool { if case .current = self { true } else { false } }

    /// The battery's level of one accessory, as the event tells it; nil if it tells nothing of it.
    fileprivate func level(of id: AccessoryID) -> Int? {
        switch self {
        case .current(let accessories): accessories.first { $0.id == id }?.battery?.percent
        case .changed(let accessory): accessory.id == id ? accessory.battery?.percent : nil
        case .removed: nil
        }
    }
}
