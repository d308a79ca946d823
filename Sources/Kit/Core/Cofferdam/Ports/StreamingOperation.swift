/// The events of a port, for one subscriber.
public typealias PortEvents<Element> = any AsyncSequence<Element, any Error> & Sendable

/// Describes one stream of a port: see ``PortOperation``.
public struct StreamingOperation<Port: Sendable, Input: Sendable, Element: Sendable>: Sendable {
    /// Starts the stream on a port.
    public typealias Body = @Sendable (Port, Input) -> PortEvents<Element>

    /// The operation's name, effect and ownership, as interceptors see them.
    public private(set) var traits: OperationTraits
    let body: Body
    /// How it continues from the other side; nil if it stays on the side where it began.
    package private(set) var handover: StreamHandover<Element>?
    /// Returns what came after an element, in order, from the port's list; nil if there is no such list.
    package private(set) var catchUp: (@Sendable (Port, _ last: Element) async throws -> [Element])?
    /// How it is recorded on a tape; nil if it is not.
    package private(set) var recording: StreamRecording<Input, Element>?

    /// - Parameters:
    ///   - effect: ``Effect/exclusive`` for a stream that the other side does not take over when its own side fails.
    ///   - body: asks the port for the stream.
    public init(_ name: String, _ effect: Effect = .read, _ body: @escaping Body) {
        traits = OperationTraits(name, effect)
        traits.isReading = true
        self.body = body
    }

    /// The name in the table of operations.
    public var name: String { traits.name }

    /// Asks a port for the stream.
    package func callAsFunction(_ port: Port, _ input: Input) -> PortEvents<Element> { body(port, input) }

    // MARK: What is known of it

    /// Marks a stream of the signed-in user's data.
    public func ofUser() -> Self { with { $0.traits.ownership = .user } }

    /// Lets the stream continue from the other side when its unit moves.
    ///
    /// - Parameter catchingUp: returns what came after an element, in order, from the port's list. Called after a gap.
    public func handedOver(
        by handover: StreamHandover<Element>,
        catchingUp: (@Sendable (Port, _ last: Element) async throws -> [Element])? = nil
    ) -> Self {
        with { ($0.handover, $0.catchUp) = (handover, catchingUp) }
    }

    /// Records the stream on tapes.
    ///
    /// - Parameters:
    ///   - record: the format of an element.
    ///   - arguments: everything that distinguishes this stream from another, by name.
    public func recorded<Record: TapeRecord<Element>>(
        as record: Record.Type,
        _ arguments: @escaping @Sendable (Input) -> TapeArguments = { _ in [:] }
    ) -> Self {
        with { $0.recording = StreamRecording(record: record, arguments: arguments) }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var operation = self
        change(&operation)
        return operation
    }
}

extension StreamingOperation where Input == Void {
    /// Creates an operation for a stream without parameters.
    public init(
        _ name: String,
        _ effect: Effect = .read,
        _ body: @escaping @Sendable (Port) -> PortEvents<Element>
    ) {
        self.init(name, effect) { (port: Port, _: Void) in body(port) }
    }
}

extension StreamingOperation where Element: Codable {
    /// Records the stream on tapes, with each element in its own encoding.
    public func recorded(_ arguments: @escaping @Sendable (Input) -> TapeArguments = { _ in [:] }) -> Self {
        recorded(as: CodableRecord<Element>.self, arguments)
    }
}

/// How a stream is recorded on a tape.
package struct StreamRecording<Input: Sendable, Element: Sendable>: Sendable {
    package let record: any TapeRecord<Element>.Type
    package let arguments: @Sendable (Input) -> TapeArguments
}
