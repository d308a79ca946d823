import CofferdamContracts
import SanctuaryDomain

/// STRM: what happens, as it happens.
enum StreamRules {
    static let all: [Rule<SanctuarySubject>] = [inOrder, release]

    private static let inOrder = Rule<SanctuarySubject>(
        "STRM-01",
        "Events are delivered one at a time in their order; accessories begin with what is there now"
    ) { subject, context in
        var findings = Findings()
        try await subject.probe.reset(.seeded)
        try await subject.signIn()
        let texts = (1...50).map { "message \($0)" }
        let messages = context.task {
            try await first(texts.count, of: subject.services.messages.events())
        }
        defer { messages.cancel() }
        try await context.within("one subscriber to messages") {
            try await subject.probe.waitForSubscribers(of: .messages, exactly: 1)
        }
        for text in texts { _ = try await subject.probe.postMessage(author: "kenji", text: text) }
        let received = try await context.within("\(texts.count) message events") { try await messages.value }
        findings.expectEqual(received.map(\.text), texts, "messages")

        let expected = try await subject.services.accessories.accessories()
        let batteries = (1...20).compactMap { Battery(percent: $0) }
        let accessories = context.task {
            try await first(1 + batteries.count, of: subject.services.accessories.events())
        }
        defer { accessories.cancel() }
        try await context.within("one subscriber to accessories") {
            try await subject.probe.waitForSubscribers(of: .accessories, exactly: 1)
        }
        let scale = AccessoryID("scale-strm-01")
        for battery in batteries {
            try await subject.probe.updateAccessory(scale, name: "scale", battery: battery)
        }
        let events = try await context.within("\(1 + batteries.count) accessory events") { try await accessories.value }
        findings.expectEqual(events.first, .current(expected), "first accessory event")
        let changes = events.dropFirst().map(\.batteryChange)
        findings.expectEqual(changes, batteries.map { .init(id: scale, battery: $0) }, "accessory changes")
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

/// The first so many elements; fewer if the sequence ends before.
func first<Events: AsyncSequence & Sendable>(
    _ count: Int,
    of events: Events
) async throws -> [Events.Element] where Events.Element: Sendable {
    var elements: [Events.Element] = []
    for try await event in events {
        elements.append(event)
        if elements.count == count { break }
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

private struct BatteryChange: Equatable {
    var id: AccessoryID?
    var battery: Battery?
}

extension AccessoryEvent {
    fileprivate var batteryChange: BatteryChange {
        guard case .changed(let accessory) = self else { return BatteryChange() }
        return BatteryChange(id: accessory.id, battery: accessory.battery)
    }
}
