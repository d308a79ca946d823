import Cofferdam
import CofferdamContracts
import SanctuaryDomain

enum StreamMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("STRM-01", "delivers as concurrent yields do: each two events the other way round") { subject, effect in
            subject.replacingMessageEvents { events in PairwiseReversed(events: events, effect: effect) }
        },
        Mutant("STRM-04", "does not hear that its consumer has gone") { subject, effect in
            subject.replacingMessageEvents { events in
                let buffer = EventBuffer<MessageEvent>()
                Task { await forward(events, to: buffer) }
                buffer.onTermination { effect.occurred() }
                return buffer.events
            }
        },
        Mutant("STRM-01", "does not begin with the accessories that are there") { subject, effect in
            var subject = subject
            subject.services.accessories = MutatedAccessories(clean: subject.services.accessories) { events in
                WithoutFirst(events: events, effect: effect)
            }
            return subject
        },
    ]

    private static func forward(
        _ events: any AsyncSequence<MessageEvent, any Error> & Sendable,
        to buffer: EventBuffer<MessageEvent>
    ) async {
        do {
            for try await event in events { buffer.send(event, overflow: { CancellationError() }) }
            buffer.finish()
        } catch {
            buffer.finish(throwing: error)
        }
    }
}

extension SanctuarySubject {
    fileprivate typealias Events = any AsyncSequence<MessageEvent, any Error> & Sendable

    fileprivate func replacingMessageEvents(by change: @escaping @Sendable (Events) -> Events) -> SanctuarySubject {
        var subject = self
        subject.services.messages = MutatedMessages(clean: services.messages, change: change)
        return subject
    }
}
