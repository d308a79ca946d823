/// What answers behind an ``Intercepted`` port: a port itself, a route between two of them, a tape.
public protocol PortSource<Port>: AnyObject, Sendable {
    associatedtype Port: Sendable

    /// How calls go straight to a port; nil if none does and ``call(_:_:)`` makes them all. Read once.
    var fastPath: PortFastPath<Port>? { get }

    /// Makes a call.
    func call<Input, Output>(_ operation: PortOperation<Port, Input, Output>, _ input: Input) async throws -> Output

    /// Opens a stream.
    func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element>

    /// Reviews the result of a call that went straight to its port, off its caller's path.
    func review<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ result: Result<Output, any Error>,
        took duration: Duration,
        _ fastCall: FastPathCall
    ) async
}

extension PortSource {
    /// No fast path by default: each call asks the source.
    public var fastPath: PortFastPath<Port>? { nil }

    /// Ignores the result by default.
    public func review<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ result: Result<Output, any Error>,
        took duration: Duration,
        _ fastCall: FastPathCall
    ) async {}
}

/// How calls go straight to a port of that type.
public struct PortFastPath<Port: Sendable>: Sendable {
    @usableFromInline let path: any FastPath

    /// Every call goes to that port.
    init(to port: Port) { path = OpenPath(box: PortBox(port)) }

    /// - Parameter path: a path whose boxes hold ports of this type.
    package init(unchecked path: any FastPath) { self.path = path }
}

/// Decides within nanoseconds whether a call goes straight to a port. Without type parameters, because calls through a
/// protocol are not specialized and would look up their types each time.
@usableFromInline
package protocol FastPath: AnyObject, Sendable {
    /// The ``PortBox`` of the port that the call may go to directly; nil if the call needs more.
    ///
    /// It never waits and calls no port. If it returns one, ``leave(_:)`` follows.
    ///
    /// - Parameters:
    ///   - cursor: where the call continues in a list; nil at the beginning, and for other calls.
    ///   - fastCall: receives what the end of the call needs.
    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ fastCall: inout FastPathCall
    ) -> AnyPortBox?

    /// Ends a call that entered.
    func leave(_ fastCall: borrowing FastPathCall)

    /// Reports the failure of a call that entered; ``leave(_:)`` follows.
    func failed(_ operation: OperationTraits, by error: any Error, _ fastCall: FastPathCall)

    /// The time, by the clock that measures reviewed calls.
    func now() -> Duration

    /// Queues the review of a call's result off the caller's path, if there is room.
    func submit(_ operation: OperationTraits, _ fastCall: FastPathCall, _ review: @escaping @Sendable () async -> Void)

    /// Whether cursors carry a mark of the side that they belong to.
    var marksCursors: Bool { get }

    /// The cursor as the port returned it; nil if it has no mark.
    func unmarked(_ cursor: String) -> String?

    /// The cursor with the mark of its port; nil if it needs none.
    func marked(_ cursor: String, _ fastCall: borrowing FastPathCall) -> String?
}

/// What a call that goes straight to its port carries from its start to its end.
public struct FastPathCall: Sendable {
    /// An object that stays alive until the call has left.
    package var owner: (any AnyObject & Sendable)?
    /// The object that reviews the result; nil if none does.
    @usableFromInline package var reviewer: (any AnyObject & Sendable)?
    /// Whether the cursor has a mark, which the port must not see.
    @usableFromInline package var hasMark = false
    /// For the path's own use.
    package var word: UInt64 = 0

    @usableFromInline
    init() {}
}

/// A port that code can pass on without knowing its type.
@usableFromInline
// Proof: it has no state, and ``PortBox``, its only subclass, holds a Sendable value.
package class AnyPortBox: @unchecked Sendable {
    fileprivate init() {}
}

@usableFromInline
// Proof: a port is Sendable, and the constant never changes.
package final class PortBox<Port: Sendable>: AnyPortBox, @unchecked Sendable {
    @usableFromInline package let port: Port
    package init(_ port: Port) { self.port = port }
}

/// The path to a port that is always open.
private final class OpenPath: FastPath {
    private let box: AnyPortBox

    init(box: AnyPortBox) { self.box = box }

    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ fastCall: inout FastPathCall
    ) -> AnyPortBox? { box }

    func leave(_ fastCall: borrowing FastPathCall) {}
    func failed(_ operation: OperationTraits, by error: any Error, _ fastCall: FastPathCall) {}
    func now() -> Duration { .zero }
    func submit(_ operation: OperationTraits, _ fastCall: FastPathCall, _ review: @escaping @Sendable () async -> Void)
    {}
    var marksCursors: Bool { false }
    func unmarked(_ cursor: String) -> String? { nil }
    func marked(_ cursor: String, _ fastCall: borrowing FastPathCall) -> String? { nil }
}

/// A port that answers directly.
final class LivePort<Port: Sendable>: PortSource {
    private let port: Port
    let fastPath: PortFastPath<Port>?

    init(_ port: Port) {
        self.port = port
        fastPath = PortFastPath(to: port)
    }

    func call<Input, Output>(_ operation: PortOperation<Port, Input, Output>, _ input: Input) async throws -> Output {
        try await operation(port, input)
    }

    func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        operation(port, input)
    }
}
