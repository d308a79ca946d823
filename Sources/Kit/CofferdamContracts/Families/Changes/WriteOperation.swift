/// The writes of a port, whatever they write: what the rules MUT-06 and MUT-09 need to know.
///
/// What sets a state (a link, a name) may be repeated whatever became of it, and its error says what went wrong: only writes of
/// which a second one would be a second one belong here. They need not create an entity. A counter that goes up by one is such a
/// write:
///
/// ```swift
/// .init(ProbedCall(AnyPortCall(visit, with: "front page"), isReading: false, …)) { subject in
///     try await subject.counters.value(of: "front page")
/// }
/// ```
public struct WriteOperation<Subject: Sendable>: RuleFamily {
    let writes: [Write]
    /// Sets the stage, on which every write succeeds.
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    /// Takes back the faults that have not happened yet, and answers the calls that are held.
    let clearFaults: @Sendable (Subject) async throws -> Void
    /// Lets the time of the call that goes on run out, by the subject's clock. A harness whose subject has none throws
    /// ``UnmetRequirements``.
    let outlast: @Sendable (Subject) async throws -> Void
    /// Closes the subject for good.
    let close: @Sendable (Subject) async -> Void
    /// Whether the port says by this error that it may have been done, and may not.
    let isOutcomeUnknown: @Sendable (any Error) -> Bool
    /// What a careless adapter throws in its place.
    let unreachable: any Error

    public init(
        writes: [Write],
        prepare: @escaping @Sendable (Subject) async throws -> Void,
        held: HeldCalls<Subject>,
        clearFaults: @escaping @Sendable (Subject) async throws -> Void,
        outlast: @escaping @Sendable (Subject) async throws -> Void,
        close: @escaping @Sendable (Subject) async -> Void,
        isOutcomeUnknown: @escaping @Sendable (any Error) -> Bool,
        unreachable: any Error
    ) {
        self.writes = writes
        self.prepare = prepare
        self.held = held
        self.clearFaults = clearFaults
        self.outlast = outlast
        self.close = close
        self.isOutcomeUnknown = isOutcomeUnknown
        self.unreachable = unreachable
    }

    public struct Write: Sendable {
        let call: ProbedCall<Subject>
        /// Nil: an attempt has no key, and is not repeated.
        let key: Key?
        /// How often the write was done, as far as can be seen: what a counter stands at. Nil: MUT-06 is not among the rules of the
        /// write, as with a key, under which MUT-09 repeats it.
        let count: (@Sendable (Subject) async throws -> Int)?

        public init(_ call: ProbedCall<Subject>, key: Key? = nil) {
            self.call = call
            self.key = key
            count = nil
        }

        /// A write without a key.
        public init(_ call: ProbedCall<Subject>, count: @escaping @Sendable (Subject) async throws -> Int) {
            self.call = call
            key = nil
            self.count = count
        }
    }

    /// What is known of a write that names its attempts.
    public struct Key: Sendable {
        /// How much of what the write writes there is.
        let count: @Sendable (Subject) async throws -> Int
        /// Whether the port may say by this error, in place of an answer, that the attempt was made before.
        let isTaken: @Sendable (any Error) -> Bool

        public init(
            count: @escaping @Sendable (Subject) async throws -> Int,
            isTaken: @escaping @Sendable (any Error) -> Bool = { _ in false }
        ) {
            self.count = count
            self.isTaken = isTaken
        }
    }
}
