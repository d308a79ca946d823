/// The events of another sequence, changed on the way.
struct ChangedEvents<Element: Sendable, Memory: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error
    typealias Source = any AsyncIteratorProtocol<Element, any Error>

    let events: any AsyncSequence<Element, any Error> & Sendable
    /// The memory with which each iteration begins.
    let memory: Memory
    /// Returns the next event.
    let next: @Sendable (inout Source, inout Memory) async throws -> Element?

    init(
        _ events: any AsyncSequence<Element, any Error> & Sendable,
        memory: Memory,
        next: @escaping @Sendable (inout Source, inout Memory) async throws -> Element?
    ) {
        self.events = events
        self.memory = memory
        self.next = next
    }

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

/// A sequence that is made when it is first asked for an event.
struct LateEvents<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    let make: @Sendable () -> any AsyncSequence<Element, any Error> & Sendable

    func makeAsyncIterator() -> Iterator { Iterator(make: make) }

    struct Iterator: AsyncIteratorProtocol {
        let make: @Sendable () -> any AsyncSequence<Element, any Error> & Sendable
        private var source: (any AsyncIteratorProtocol<Element, any Error>)?

        init(make: @escaping @Sendable () -> any AsyncSequence<Element, any Error> & Sendable) { self.make = make }

        mutating func next() async throws -> Element? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            if source == nil { source = make().makeAsyncIterator() }
            return try await source?.next(isolation: actor)
        }
    }
}
