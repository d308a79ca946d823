/// What answers behind an ``Intercepted`` port: a port itself, a route between two of them, a tape.
public protocol PortSource<Port>: AnyObject, Sendable {
    associatedtype Port: Sendable

    /// How calls go straight to a port; nil where none does, and ``call(_:_:)`` makes them all. Asked once.
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
        _ passage: Passage
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
        _ passage: Passage
    ) async {}
}

/// How calls go straight to a port of that type, without more ado.
public struct PortFastPath<Port: Sendable>: Sendable {
    @usableFromInline let path: any FastPath

    /// Every call goes to that port.
    public init(to port: Port) { path = OpenPath(box: PortBox(port)) }

    /// - Parameter path: its boxes hold ports of this type.
    package init(unchecked path: any FastPath) { self.path = path }
}

/// Decides for a call, in nanoseconds, whether it goes straight to a port. Without type parameters, because what is called
/// through a protocol is not specialized, and looks its types up at each call.
@usableFromInline
package protocol FastPath: AnyObject, Sendable {
    /// The ``PortBox`` of the port that a call may go to as it is; nil if there is more to it.
    ///
    /// It asks nothing and waits for nothing. Where it gives a port, ``leave(_:)`` follows.
    ///
    /// - Parameters:
    ///   - cursor: where the call goes on in a list; nil at its beginning, and for what is no list.
    ///   - passage: what is to be known of this call when it ends.
    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ passage: inout Passage
    ) -> AnyPortBox?

    /// A call that entered has ended.
    func leave(_ passage: borrowing Passage)

    /// A call that entered has failed; ``leave(_:)`` follows.
    func failed(_ operation: OperationTraits, by error: any Error, _ passage: Passage)

    /// The time by which reviewed calls are measured.
    func now() -> Duration

    /// Has the result of a call that entered reviewed off its caller's path, if there is room.
    func submit(_ operation: OperationTraits, _ passage: Passage, _ review: @escaping @Sendable () async -> Void)

    /// Whether the cursors of pages show where they belong.
    var marksCursors: Bool { get }

    /// The cursor as the port gave it; nil if it is that already.
    func unmarked(_ cursor: String) -> String?

    /// The cursor by which its port is found again; nil if it does so already.
    func marked(_ cursor: String, _ passage: borrowing Passage) -> String?
}

/// A call on its way straight to a port.
public struct Passage: Sendable {
    /// What is kept until the call has left.
    package var owner: (any AnyObject & Sendable)?
    /// By what the result is reviewed; nil if it is not.
    @usableFromInline package var reviewer: (any AnyObject & Sendable)?
    /// Whether its cursor has a mark, which its port must not see.
    @usableFromInline package var hasMark = false
    /// The path's own.
    package var word: UInt64 = 0

    @usableFromInline
    init() {}
}

/// A port, to be handed on by code that does not know its type.
@usableFromInline
// Proof: it has no state, and ``PortBox``, its one subclass, holds what is Sendable.
package class AnyPortBox: @unchecked Sendable {
    fileprivate init() {}
}

@usableFromInline
// Proof: a port is Sendable, and never another one.
package final class PortBox<Port: Sendable>: AnyPortBox, @unchecked Sendable {
    @usableFromInline package let port: Port
    package init(_ port: Port) { self.port = port }
}

/// The way to a port that is just there.
private final class OpenPath: FastPath {
    private let box: AnyPortBox

    init(box: AnyPortBox) { self.box = box }

    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ passage: inout Passage
    ) -> AnyPortBox? { box }

    func leave(_ passage: borrowing Passage) {}
    func failed(_ operation: OperationTraits, by error: any Error, _ passage: Passage) {}
    func now() -> Duration { .zero }
    func submit(_ operation: OperationTraits, _ passage: Passage, _ review: @escaping @Sendable () async -> Void) {}
    var marksCursors: Bool { false }
    func unmarked(_ cursor: String) -> String? { nil }
    func marked(_ cursor: String, _ passage: borrowing Passage) -> String? { nil }
}

/// A port that answers by itself.
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
