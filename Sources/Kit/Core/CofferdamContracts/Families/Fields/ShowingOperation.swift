import Cofferdam

/// An operation of a port that shows entities: one, a list, or a stream. See ``ShownFields``.
public struct ShowingOperation<Subject: Sendable, ID: Sendable & Hashable, Entity: Sendable & Hashable>: Sendable {
    /// Makes the vendor hold entities; returns them as a correct adapter shows them.
    typealias Hold = @Sendable () async throws -> [Entity]

    let name: String
    private(set) var requires: Set<CapabilityTag> = []
    let show:
        @Sendable (Subject, RuleContext, _ id: @escaping @Sendable (Entity) -> ID, _ hold: Hold) async throws -> (
            expected: [Entity], shown: [Entity]
        )
    /// Returns the subject whose operation shows spoiled entities.
    let spoil: @Sendable (Subject, @escaping @Sendable (Entity) -> Entity) -> Subject
    /// Returns the subject whose operation shows something else, or nothing, instead of failing with such an error.
    let swallow: Swallow
    typealias Swallow =
        @Sendable (Subject, _ isUnreadable: @escaping @Sendable (any Error) -> Bool, MutantEffect) -> Subject
    /// Returns the subject whose list has other pages; nil if the operation is no list.
    var repage: (@Sendable (Subject, @escaping Repage) -> Subject)?
    typealias Repage = @Sendable (_ clean: () async throws -> ListPage<Entity>) async throws -> ListPage<Entity>

    /// An operation that reads one entity by its id.
    public static func get(_ call: PortCall<Subject, ID, Entity>) -> ShowingOperation {
        ShowingOperation(
            name: call.name,
            show: { subject, _, id, hold in
                let expected = try await hold()
                var shown: [Entity] = []
                for entity in expected { shown.append(try await call(subject, id(entity))) }
                return (expected, shown)
            },
            spoil: { subject, spoiled in call.replaced(in: subject) { spoiled(try await $0($1)) } },
            swallow: { subject, isUnreadable, effect in
                let last = Mutex<Entity?>(nil)
                return call.replaced(in: subject) { clean, id in
                    do {
                        let entity = try await clean(id)
                        last.withLock { $0 = entity }
                        return entity
                    } catch  where isUnreadable(error) {
                        guard let earlier = last.withLock(\.self) else { throw error }
                        effect.occurred()
                        return earlier
                    }
                }
            }
        )
    }

    /// A list, which is read page by page.
    public static func list(
        _ call: PortCall<Subject, ListQuery, ListPage<Entity>>,
        limit: Int = 100
    ) -> ShowingOperation {
        ShowingOperation(
            name: call.name,
            show: { subject, _, _, hold in
                let expected = try await hold()
                let walk = await Walk(call.perform(subject), limit: limit, atMost: expected.count + 2)
                switch walk.end {
                case .lastPage: return (expected, walk.items)
                case .failed(let error): throw error
                case .tooLong: throw Deviation("the list does not end within \(walk.calls) calls")
                }
            },
            spoil: { subject, spoiled in
                call.replaced(in: subject) { clean, query in
                    var page = try await clean(query)
                    page.items = page.items.map(spoiled)
                    return page
                }
            },
            swallow: { subject, isUnreadable, effect in
                call.replaced(in: subject) { clean, query in
                    do {
                        return try await clean(query)
                    } catch  where isUnreadable(error) {
                        effect.occurred()
                        return ListPage(items: [], next: nil)
                    }
                }
            },
            repage: { subject, repage in
                call.replaced(in: subject) { clean, query in try await repage { try await clean(query) } }
            }
        )
    }

    /// A stream that shows each entity as soon as the vendor holds it.
    ///
    /// - Parameters:
    ///   - name: the stream's name in reports.
    ///   - waitForSubscriber: returns once the vendor serves the stream's one subscriber.
    ///   - entities: the entities that an event shows.
    ///   - changing: returns the event with each of its entities changed; for the mutants.
    public static func stream<Event>(
        _ name: String,
        _ stream: PortStream<Subject, Event>,
        waitForSubscriber: @escaping @Sendable (Subject) async throws -> Void,
        entities: @escaping @Sendable (Event) -> [Entity],
        changing: @escaping @Sendable (Event, (Entity) -> Entity) -> Event
    ) -> ShowingOperation {
        ShowingOperation(
            name: name,
            show: { subject, context, id, hold in
                let (listener, task) = StreamListener.start(stream(subject), context)
                defer { task.cancel() }
                try await context.within("a subscriber to \(name)") { try await waitForSubscriber(subject) }
                let expected = try await hold()
                let missing = Mutex(Set(expected.map { Exact(id($0)) }))
                do {
                    try await context.within("\(name) of all values") {
                        try await listener.wait { event in
                            missing.withLock { missing in
                                missing.subtract(entities(event).map { Exact(id($0)) })
                                return missing.isEmpty
                            }
                        }
                    }
                } catch is BoundExceeded {}
                if case .failure(let error) = listener.end { throw error }
                return (expected, listener.events.flatMap(entities))
            },
            spoil: { subject, spoiled in
                stream.replaced(in: subject) { clean in
                    ChangedEvents(clean(), memory: ()) { source, _ in
                        try await source.next(isolation: nil).map { changing($0, spoiled) }
                    }
                }
            },
            swallow: { subject, isUnreadable, effect in
                stream.replaced(in: subject) { clean in
                    ChangedEvents(clean(), memory: ()) { source, _ in
                        do {
                            return try await source.next(isolation: nil)
                        } catch  where isUnreadable(error) {
                            effect.occurred()
                            return nil
                        }
                    }
                }
            }
        )
    }

    /// Returns the operation of adapters that declare these capabilities; it is skipped on others.
    public func requiring(_ tags: CapabilityTag...) -> ShowingOperation {
        var operation = self
        operation.requires.formUnion(tags)
        return operation
    }
}
