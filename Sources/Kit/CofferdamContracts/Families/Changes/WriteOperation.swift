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
    let prepare: @Sendable (Subject) async throws -> Void
    let held: HeldCalls<Subject>
    let clearFaults: @Sendable (Subject) async throws -> Void
    let outlast: @Sendable (Subject) async throws -> Void
    let close: @Sendable (Subject) async -> Void
    let isOutcomeUnknown: @Sendable (any Error) -> Bool
    let unreachable: any Error

    /// Describes the writes of a port and how they may fail.
    ///
    /// - Parameters:
    ///   - prepare: prepares the vendor so that every write succeeds.
    ///   - clearFaults: removes the faults that have not occurred yet, and answers the held calls.
    ///   - outlast: advances the subject's clock past the deadline of the call in progress. A harness whose subject
    ///     has no clock throws ``UnmetRequirements``.
    ///   - close: closes the subject for good.
    ///   - isOutcomeUnknown: whether the port's error says that the write may or may not have taken effect.
    ///   - unreachable: the error that a careless adapter throws instead.
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

    /// One write, and how to count what it has done.
    public struct Write: Sendable {
        let call: ProbedCall<Subject>
        let key: Key?
        /// How often the write was done, as far as can be seen: what a counter stands at. Nil: MUT-06 is not among the rules of the
        /// write, as with a key, under which MUT-09 repeats it.
        let count: (@Sendable (Subject) async throws -> Int)?

        /// A write that carries a key, or whose effects need no counting.
        ///
        /// - Parameter key: how attempts under one key are counted; nil: an attempt has no key, and is not repeated.
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
        let count: @Sendable (Subject) async throws -> Int
        let isTaken: @Sendable (any Error) -> Bool

        /// Describes how attempts under one key are counted.
        ///
        /// - Parameters:
        ///   - count: counts what the write has written.
        ///   - isTaken: whether the port's error says that the attempt was made before, instead of an answer.
        public init(
            count: @escaping @Sendable (Subject) async throws -> Int,
            isTaken: @escaping @Sendable (any Error) -> Bool = { _ in false }
        ) {
            self.count = count
            self.isTaken = isTaken
        }
    }
}
