/// Describes one method of a port: its name, its effect, how to call it, and how tools compare, record and page it.
///
/// The operations of a port form a table beside the protocol. Every tool reads it: routing, tapes, injected faults, mutants
/// and rules.
///
/// ```swift
/// enum RatesOperations {
///     static let rate = PortOperation<any Rates, String, Double>("rate", .read) { try await $0.rate(of: $1) }
///     static let refresh = PortOperation<any Rates, Void, Void>("refresh", .idempotent) { try await $0.refresh() }
/// }
///
/// extension Intercepted: Rates where Port == any Rates {
///     func rate(of currency: String) async throws -> Double {
///         try await call(RatesOperations.rate, currency) { try await $0.rate(of: $1) }
///     }
///     func refresh() async throws { try await call(RatesOperations.refresh) { try await $0.refresh() } }
/// }
/// ```
///
/// A method with several parameters takes them as a tuple. Progress callbacks are part of the input, see
/// ``reporting(_:)``; a stream is a ``StreamingOperation``.
public struct PortOperation<Port: Sendable, Input: Sendable, Output: Sendable>: Sendable {
    /// Calls the operation on a port.
    public typealias Body = @Sendable (Port, Input) async throws -> Output

    /// One reference, because a call copies the operation.
    @usableFromInline let storage: Storage

    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let traits: OperationTraits
        @usableFromInline let body: Body
        /// A copy from the paging, because reading one closure is faster than reading all of them.
        @usableFromInline let cursor: (@Sendable (Input) -> String?)?
        @usableFromInline let next: (@Sendable (Output) -> String?)?
        @usableFromInline let reportsProgress: Bool
        let knowledge: Knowledge

        init(_ traits: OperationTraits, _ body: @escaping Body, _ knowledge: Knowledge) {
            self.traits = traits
            self.body = body
            self.knowledge = knowledge
            cursor = knowledge.paging?.cursor
            next = knowledge.paging?.next
            reportsProgress = knowledge.progress != nil
        }

        /// The port's error for a cursor that no side accepts any more; any other error as it is.
        @usableFromInline
        func error(_ error: any Error, _ cursor: String?) -> any Error {
            guard error is StaleCursor, let cursor, let paging = knowledge.paging else { return error }
            return paging.invalid(cursor)
        }

        @usableFromInline
        func replacingCursor(of input: Input, by cursor: String) -> Input {
            var input = input
            knowledge.paging?.setCursor(&input, cursor)
            return input
        }

        @usableFromInline
        func replacingNext(of output: Output, by cursor: String) -> Output {
            var output = output
            knowledge.paging?.setNext(&output, cursor)
            return output
        }
    }

    struct Knowledge: Sendable {
        var paging: Paging<Input, Output>?
        var comparator: Comparator<Output>?
        var recording: TapeRecording<Input, Output>?
        var progress: ProgressReporting<Input, Output>?
        var spoil: (@Sendable (inout Output) -> Void)?
    }

    /// - Parameters:
    ///   - name: unique within the port.
    ///   - body: calls the method. It captures nothing: what it needs is in the input.
    public init(_ name: String, _ effect: Effect, _ body: @escaping Body) {
        storage = Storage(OperationTraits(name, effect), body, Knowledge())
    }

    init(_ storage: Storage) { self.storage = storage }

    /// What the router and the contracts know of the operation.
    public var traits: OperationTraits { storage.traits }
    /// The name in the table of operations.
    public var name: String { storage.traits.name }
    /// How its cursors are found; nil if its answer is not a page.
    package var paging: Paging<Input, Output>? { storage.knowledge.paging }
    /// How two sides' answers are compared; nil if they are not.
    package var comparator: Comparator<Output>? { storage.knowledge.comparator }
    /// How it is recorded on a tape; nil if it is not.
    package var recording: TapeRecording<Input, Output>? { storage.knowledge.recording }
    /// How it reports its progress; nil if it does not.
    package var progress: ProgressReporting<Input, Output>? { storage.knowledge.progress }
    /// Makes an answer subtly wrong; nil if no way to do so is known.
    package var spoil: (@Sendable (inout Output) -> Void)? { storage.knowledge.spoil }

    /// Calls the method on a port.
    @inlinable
    public func callAsFunction(_ port: Port, _ input: Input) async throws -> Output {
        try await storage.body(port, input)
    }

    // MARK: What is known of it

    /// Marks an operation that only reads, although its effect does not say so: an ``Effect/exclusive`` one.
    public func reading() -> Self { with(traits: { $0.isReading = true }) }

    /// Marks an operation on the signed-in user's data.
    public func ofUser() -> Self { with(traits: { $0.ownership = .user }) }

    /// Compares the answers of the two sides.
    public func compared(by comparator: Comparator<Output>) -> Self {
        with(knowledge: { $0.comparator = comparator }, traits: { $0.isComparable = true })
    }

    /// Marks an operation whose answer is a page, with a cursor that belongs to the side that issued it.
    public func paged(by paging: Paging<Input, Output>) -> Self { with(knowledge: { $0.paging = paging }) }

    /// Records calls on tapes.
    ///
    /// - Parameters:
    ///   - record: the format of the answer.
    ///   - arguments: everything that distinguishes this call from another, by name.
    public func recorded<Record: TapeRecord<Output>>(
        as record: Record.Type,
        _ arguments: @escaping @Sendable (Input) -> TapeArguments = { _ in [:] }
    ) -> Self {
        with(knowledge: { $0.recording = TapeRecording(record: record, arguments: arguments) })
    }

    /// Marks an operation whose input holds a callback for progress.
    public func reporting(_ progress: ProgressReporting<Input, Output>) -> Self {
        with(knowledge: { $0.progress = progress })
    }

    /// Defines a subtly wrong answer, for rehearsals, which must notice it.
    public func spoiled(by spoil: @escaping @Sendable (inout Output) -> Void) -> Self {
        with(knowledge: { $0.spoil = spoil })
    }

    private func with(
        knowledge changeKnowledge: (inout Knowledge) -> Void = { _ in },
        traits changeTraits: (inout OperationTraits) -> Void = { _ in }
    ) -> Self {
        var (traits, knowledge) = (storage.traits, storage.knowledge)
        changeTraits(&traits)
        changeKnowledge(&knowledge)
        return Self(Storage(traits, storage.body, knowledge))
    }
}

extension PortOperation where Output: Equatable & SendableMetatype {
    /// Creates an operation; two sides' answers are compared by `==`.
    public init(_ name: String, _ effect: Effect, _ body: @escaping Body) {
        var traits = OperationTraits(name, effect)
        traits.isComparable = true
        let knowledge = Knowledge(comparator: Comparator().field("value", { $0 }))
        self.init(Storage(traits, body, knowledge))
    }
}

extension PortOperation where Output: Codable {
    /// Records calls on tapes, with the answer in its own encoding.
    public func recorded(_ arguments: @escaping @Sendable (Input) -> TapeArguments = { _ in [:] }) -> Self {
        recorded(as: CodableRecord<Output>.self, arguments)
    }
}

extension PortOperation where Output == Void {
    /// Records calls on tapes; there is no answer.
    public func recorded(_ arguments: @escaping @Sendable (Input) -> TapeArguments = { _ in [:] }) -> Self {
        recorded(as: NothingRecord.self, arguments)
    }
}

extension PortOperation where Input == Void {
    /// Creates an operation for a method without parameters.
    public init(_ name: String, _ effect: Effect, _ body: @escaping @Sendable (Port) async throws -> Output) {
        self.init(name, effect) { (port: Port, _: Void) in try await body(port) }
    }
}

extension PortOperation where Input == Void, Output: Equatable & SendableMetatype {
    /// Creates an operation for a method without parameters; two sides' answers are compared by `==`.
    public init(_ name: String, _ effect: Effect, _ body: @escaping @Sendable (Port) async throws -> Output) {
        self.init(name, effect) { (port: Port, _: Void) in try await body(port) }
    }
}

/// How a call is recorded on a tape.
package struct TapeRecording<Input: Sendable, Output: Sendable>: Sendable {
    package let record: any TapeRecord<Output>.Type
    package let arguments: @Sendable (Input) -> TapeArguments
}
