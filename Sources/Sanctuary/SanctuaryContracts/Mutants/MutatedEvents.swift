import CofferdamContracts
import SanctuaryDomain

/// The events of another sequence, changed on the way.
struct MutatedEvents<Element: Sendable, Memory: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error
    typealias Source = any AsyncIteratorProtocol<Element, any Error>

    let events: any AsyncSequence<Element, any Error> & Sendable
    /// What each iteration begins with.
    let memory: Memory
    /// Gives the next event.
    let next: @Sendable (inout Source, inout Memory) async throws -> Element?

    func makeAsyncIterator() -> Iterator {
        Iterator(source: events.makeAsyncIterator(), memory: memory, step: next)
    }

    struct Iterator: AsyncIteratorProtocol {
        var source: Source
        var memory: Memory
        let step: @Sendable (inout Source, inout Memory) async throws -> Element?

        mutating func next() async throws -> Element? { try await step(&source, &memory) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await step(&source, &memory)
        }
    }
}

/// Two events at a time, the second one first.
func pairwiseReversed(
    _ events: any AsyncSequence<MessageEvent, any Error> & Sendable,
    _ effect: MutantEffect
) -> any AsyncSequence<MessageEvent, any Error> & Sendable {
    MutatedEvents(events: events, memory: MessageEvent?.none) { source, held in
        if let event = held.take() { return event }
        let first = try await source.next(isolation: nil)
        guard let second = try await source.next(isolation: nil) else { return first }
        held = first
        effect.occurred()
        return second
    }
}

/// The first event tells of nothing.
func emptyAtFirst(
    _ events: any AsyncSequence<AccessoryEvent, any Error> & Sendable,
    _ effect: MutantEffect
) -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
    MutatedEvents(events: events, memory: false) { source, hasBegun in
        let event = try await source.next(isolation: nil)
        if hasBegun { return event }
        hasBegun = true
        effect.occurred()
        return .current([])
    }
}

/// The second change is missing.
func withoutSecondChange(
    _ events: any AsyncSequence<AccessoryEvent, any Error> & Sendable,
    _ effect: MutantEffect
) -> any AsyncSequence<AccessoryEvent, any Error> & Sendable {
    MutatedEvents(events: events, memory: 0) { source, changes in
        while let event = try await source.next(isolation: nil) {
            if case .changed = event { changes += 1 }
            guard changes == 2 else { return event }
            changes += 1
            effect.occurred()
        }
        return nil
    }
}
