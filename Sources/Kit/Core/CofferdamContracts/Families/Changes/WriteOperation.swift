/// The writes of a port, described for the rules MUT-06 and MUT-09.
///
/// A call that sets a state (a link, a name) may be repeated whatever happened to it, and its error says what went
/// wrong. Only writes that take effect again when repeated belong here. They need not create an entity; incrementing a
/// counter is such a write:
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
        /// Returns how often the write has visibly taken effect, such as a counter's value. Nil if MUT-06 is not among
        /// the write's rules, as for a write with a key, which MUT-09 repeats.
        let count: (@Sendable (Subject) async throws -> Int)?

        /// Describes a write that carries a key, or whose effects need no counting.
        ///
        /// - Parameter key: how attempts under one key are counted; nil if attempts have no key, and are not repeated.
        public init(_ call: ProbedCall<Subject>, key: Key? = nil) {
            self.call = call
            self.key = key
            count = nil
        }

        /// Describes a write without a key.
        public init(_ call: ProbedCall<Subject>, count: @escaping @Sendable (Subject) async throws -> Int) {
            self.call = call
            key = nil
            self.count = count
        }
    }

    /// How the attempts of a write with a key are counted and recognised.
    public struct Key: Sendable {
        let count: @Sendable (Subject) async throws -> Int
        let isTaken: @Sendable (any Error) -> Bool

        /// Describes how attempts under one key are counted.
        ///
        /// - Parameters:
        ///   - count: counts what the write has written.
        ///   - isTaken: whether the port's error, thrown instead of an answer, says that the attempt was made before.
        public init(
            count: @escaping @Sendable (Subject) async throws -> Int,
            isTaken: @escaping @Sendable (any Error) -> Bool = { _ in false }
        ) {
            self.count = count
            self.isTaken = isTaken
        }
    }
}
