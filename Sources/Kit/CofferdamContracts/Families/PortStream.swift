/// One stream of a port, wherever in a subject it stands: how to ask for it, and how to put another in its place.
public struct PortStream<Subject: Sendable, Event: Sendable>: Sendable {
    /// The events of one subscription.
    public typealias Events = any AsyncSequence<Event, any Error> & Sendable

    /// As findings name it: "message events".
    public let name: String
    /// Asks this subject for a stream of its own.
    let events: @Sendable (_ of: Subject) -> Events
    private let replace: @Sendable (Subject, @escaping @Sendable () -> Events) -> Subject

    /// Describes a stream by how to subscribe to it and how to replace it.
    public init(
        _ name: String,
        get: @escaping @Sendable (_ of: Subject) -> Events,
        replace: @escaping @Sendable (Subject, @escaping @Sendable () -> Events) -> Subject
    ) {
        self.name = name
        self.events = get
        self.replace = replace
    }

    /// Subscribes to the stream of `subject`.
    public func callAsFunction(_ subject: Subject) -> Events { events(subject) }

    /// The subject with another stream in this one's place, which is made of clean ones.
    public func replaced(
        in subject: Subject,
        by make: @escaping @Sendable (_ clean: @escaping @Sendable () -> Events) -> Events
    ) -> Subject {
        replace(subject) { make { events(subject) } }
    }
}
