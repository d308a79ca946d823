/// A stream that belongs to the signed-in user, with its event type erased, for the session rules.
public struct UserStream<Subject: Sendable>: Sendable {
    let name: String
    let send: @Sendable (Subject) async throws -> Void
    let waitForSubscribers: @Sendable (Subject, _ count: Int) async throws -> Void
    /// The first event, as a call.
    let first: AnyPortCall<Subject>
    let listen: @Sendable (Subject, RuleContext) -> Subscriber
    let mutants: @Sendable (_ isAuthenticationRequired: @escaping @Sendable (any Error) -> Bool) -> [Mutant<Subject>]

    /// A reader of the stream, which must be cancelled.
    struct Subscriber: Sendable {
        /// The number of events received so far.
        let count: @Sendable () -> Int
        /// The stream's end; nil while it is in progress.
        let end: @Sendable () -> Result<Void, any Error>?
        /// Returns once this many events have been received, or the stream has ended.
        let wait: @Sendable (_ count: Int) async throws -> Void
        let cancel: @Sendable () -> Void
    }

    /// Describes a stream that belongs to the signed-in user.
    ///
    /// - Parameters:
    ///   - send: makes the vendor send one event to its subscribers.
    ///   - waitForSubscribers: returns once the vendor serves exactly this many subscribers.
    public init<Event: Sendable>(
        _ stream: PortStream<Subject, Event>,
        send: @escaping @Sendable (Subject) async throws -> Void,
        waitForSubscribers: @escaping @Sendable (Subject, _ count: Int) async throws -> Void
    ) {
        name = stream.name
        self.send = send
        self.waitForSubscribers = waitForSubscribers
        first = AnyPortCall(stream.name) { subject in
            var events = stream(subject).makeAsyncIterator()
            return try await events.next(isolation: nil)
        }
        listen = { subject, context in
            let (listener, task) = StreamListener.start(stream(subject), context)
            return Subscriber(
                count: { listener.events.count },
                end: { listener.end },
                wait: { try await listener.wait(forCount: $0) },
                cancel: { task.cancel() }
            )
        }
        mutants = { isAuthenticationRequired in
            [
                Mutant("AUTH-12", "finishes without an error when its user signs out") { subject, effect in
                    stream.replaced(in: subject) { clean in
                        UserEvents(source: clean()) { error, _ in
                            guard isAuthenticationRequired(error) else { throw error }
                            effect.occurred()
                            return nil
                        }
                    }
                },
                Mutant("AUTH-12", "delivers the last session's events to the next one") { subject, effect in
                    stream.replaced(in: subject) { clean in
                        UserEvents(source: clean()) { error, last in
                            guard isAuthenticationRequired(error), let last else { throw error }
                            effect.occurred()
                            return last
                        }
                    }
                },
            ]
        }
    }
}

/// A stream with its error replaced.
private struct UserEvents<Event: Sendable>: AsyncSequence, Sendable {
    let source: any AsyncSequence<Event, any Error> & Sendable
    /// Returns what replaces an error; receives the last event, once.
    let end: @Sendable (any Error, _ last: Event?) throws -> Event?

    func makeAsyncIterator() -> Iterator { Iterator(source: source.makeAsyncIterator(), end: end) }

    struct Iterator: AsyncIteratorProtocol {
        var source: any AsyncIteratorProtocol<Event, any Error>
        let end: @Sendable (any Error, _ last: Event?) throws -> Event?
        var last: Event?

        mutating func next() async throws -> Event? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
            do {
                let event = try await source.next(isolation: actor)
                last = event
                return event
            } catch {
                defer { last = nil }
                return try end(error, last)
            }
        }
    }
}
