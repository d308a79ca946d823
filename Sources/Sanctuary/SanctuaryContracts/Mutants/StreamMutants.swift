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

/// Two events of another sequence at a time, the second one first.
private struct PairwiseReversed: AsyncSequence, Sendable {
    typealias Element = MessageEvent
    typealias Failure = any Error

    let events: any AsyncSequence<MessageEvent, any Error> & Sendable
    let effect: MutantEffect

    func makeAsyncIterator() -> Iterator { Iterator(inner: events.makeAsyncIterator(), effect: effect) }

    struct Iterator: AsyncIteratorProtocol {
        var inner: any AsyncIteratorProtocol<MessageEvent, any Error>
        let effect: MutantEffect
        var held: MessageEvent?

        mutating func next() async throws -> MessageEvent? {
            if let held {
                self.held = nil
                return held
            }
            let first = try await inner.next(isolation: nil)
            guard let second = try await inner.next(isolation: nil) else { return first }
            held = first
            effect.occurred()
            return second
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> MessageEvent? {
            try await next()
        }
    }
}
