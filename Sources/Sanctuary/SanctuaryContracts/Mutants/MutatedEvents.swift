import CofferdamContracts
import SanctuaryDomain

/// Two events of another sequence at a time, the second one first.
struct PairwiseReversed: AsyncSequence, Sendable {
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

/// The events of another sequence, the first of which tells of nothing.
struct EmptyAtFirst: AsyncSequence, Sendable {
    typealias Element = AccessoryEvent
    typealias Failure = any Error

    let events: any AsyncSequence<AccessoryEvent, any Error> & Sendable
    let effect: MutantEffect

    func makeAsyncIterator() -> Iterator { Iterator(inner: events.makeAsyncIterator(), effect: effect) }

    struct Iterator: AsyncIteratorProtocol {
        var inner: any AsyncIteratorProtocol<AccessoryEvent, any Error>
        let effect: MutantEffect
        var hasBegun = false

        mutating func next() async throws -> AccessoryEvent? {
            let event = try await inner.next(isolation: nil)
            if hasBegun { return event }
            hasBegun = true
            effect.occurred()
            return .current([])
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> AccessoryEvent? {
            try await next()
        }
    }
}

/// The events of another sequence, without the second change.
struct MissingChange: AsyncSequence, Sendable {
    typealias Element = AccessoryEvent
    typealias Failure = any Error

    let events: any AsyncSequence<AccessoryEvent, any Error> & Sendable
    let effect: MutantEffect

    func makeAsyncIterator() -> Iterator { Iterator(inner: events.makeAsyncIterator(), effect: effect) }

    struct Iterator: AsyncIteratorProtocol {
        var inner: any AsyncIteratorProtocol<AccessoryEvent, any Error>
        let effect: MutantEffect
        var changes = 0

        mutating func next() async throws -> AccessoryEvent? {
            while let event = try await inner.next(isolation: nil) {
                if case .changed = event { changes += 1 }
                guard changes == 2 else { return event }
                changes += 1
                effect.occurred()
            }
            return nil
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> AccessoryEvent? {
            try await next()
        }
    }
}
