/// What answers behind an ``Intercepted`` port: a port itself, a route between two of them, a tape.
public protocol PortSource<Port>: AnyObject, Sendable {
    associatedtype Port: Sendable

    /// Where calls go; nil if ``call(_:_:)`` answers them. Read once.
    var target: PortTarget<Port>? { get }

    /// Makes a call.
    func call<Input, Output>(_ operation: PortOperation<Port, Input, Output>, _ input: Input) async throws -> Output

    /// Opens a stream.
    func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element>
}

extension PortSource {
    /// None by default: the source answers each call.
    public var target: PortTarget<Port>? { nil }
}

/// Where the calls of an ``Intercepted`` port go: to one port, or to those of two sides.
public struct PortTarget<Port: Sendable>: Sendable {
    @usableFromInline
    enum Kind: Sendable {
        case port(Port)
        case sides(SidePorts<Port>, any CallPath)
    }

    @usableFromInline let kind: Kind

    /// Every call goes to that port.
    init(_ port: Port) { kind = .port(port) }

    /// The path chooses the side for each call.
    package init(_ sides: SidePorts<Port>, by path: any CallPath) { kind = .sides(sides, path) }
}

/// A port that answers directly.
final class LivePort<Port: Sendable>: PortSource {
    private let port: Port

    init(_ port: Port) { self.port = port }

    var target: PortTarget<Port>? { PortTarget(port) }

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
