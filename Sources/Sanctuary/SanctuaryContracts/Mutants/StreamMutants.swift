import Cofferdam
import CofferdamContracts
import SanctuaryDomain

enum StreamMutants {
    static let all: [Mutant<SanctuarySubject>] = [
        Mutant("STRM-01", "delivers as concurrent yields do: each two events the other way round") { subject, effect in
            subject.replacingMessageEvents { events in pairwiseReversed(events, effect) }
        },
        Mutant("STRM-04", "does not hear that a consumer of messages has gone") { subject, effect in
            subject.replacingMessageEvents { events in deaf(events, effect) }
        },
        Mutant("STRM-04", "does not hear that a consumer of accessories has gone") { subject, effect in
            var subject = subject
            subject.services.accessories = MutatedAccessories(clean: subject.services.accessories) { events in
                deaf(events, effect)
            }
            return subject
        },
        Mutant("STRM-01", "begins as if no accessory were there") { subject, effect in
            var subject = subject
            subject.services.accessories = MutatedAccessories(clean: subject.services.accessories) { events in
                emptyAtFirst(events, effect)
            }
            return subject
        },
        Mutant("STRM-01", "loses a change of an accessory in silence") { subject, effect in
            var subject = subject
            subject.services.accessories = MutatedAccessories(clean: subject.services.accessories) { events in
                withoutSecondChange(events, effect)
            }
            return subject
        },
    ]

    /// The same events; but whoever leaves is not noticed behind the buffer.
    private static func deaf<Event: Sendable>(
        _ events: any AsyncSequence<Event, any Error> & Sendable,
        _ effect: MutantEffect
    ) -> any AsyncSequence<Event, any Error> & Sendable {
        let buffer = EventBuffer<Event>()
        Task {
            do {
                for try await event in events { buffer.send(event, overflow: { CancellationError() }) }
                buffer.finish()
            } catch {
                buffer.finish(throwing: error)
            }
        }
        buffer.onTermination { effect.occurred() }
        return buffer.events
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
