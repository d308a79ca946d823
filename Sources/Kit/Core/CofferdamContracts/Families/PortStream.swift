/// One stream of a port, wherever the port is in a subject: how to subscribe to it and how to replace it.
public struct PortStream<Subject: Sendable, Event: Sendable>: Sendable {
    /// The events of one subscription.
    public typealias Events = any AsyncSequence<Event, any Error> & Sendable

    /// The stream's name in findings: "message events".
    let name: String
    /// Returns a new stream of this subject.
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
    func callAsFunction(_ subject: Subject) -> Events { events(subject) }

    /// Returns the subject with this stream replaced by one that is made of clean ones.
    func replaced(
        in subject: Subject,
        by make: @escaping @Sendable (_ clean: @escaping @Sendable () -> Events) -> Events
    ) -> Subject {
        replace(subject) { make { events(subject) } }
    }
}
