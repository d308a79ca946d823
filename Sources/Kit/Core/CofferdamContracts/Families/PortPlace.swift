public import Cofferdam  // for PortOperation

/// A port's place in a subject, and how to intercept the port's calls there.
///
/// ```swift
/// extension PortPlace<Services, any Catalogue> {
///     static let catalogue = PortPlace(\.catalogue) { Intercepted($0, by: $1) }
/// }
/// ```
public struct PortPlace<Subject: Sendable, Port: Sendable>: Sendable {
    /// The port's place in the subject.
    public let path: any WritableKeyPath<Subject, Port> & Sendable
    private let intercepted: @Sendable (Port, [any PortInterceptor]) -> Port

    /// Names a port's place, and how to wrap the port in interceptors.
    public init(
        _ path: any WritableKeyPath<Subject, Port> & Sendable,
        _ intercepted: @escaping @Sendable (Port, [any PortInterceptor]) -> Port
    ) {
        self.path = path
        self.intercepted = intercepted
    }

    /// Returns the subject with interceptors around this port.
    func intercepted(in subject: Subject, by interceptors: any PortInterceptor...) -> Subject {
        var subject = subject
        subject[keyPath: path] = intercepted(subject[keyPath: path], interceptors)
        return subject
    }

    /// Returns the subject with one operation replaced by a closure, which receives the clean one.
    public func replacing<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        in subject: Subject,
        by body:
            @escaping @Sendable (_ clean: @escaping PortCall<Subject, Input, Output>.Perform, Input) async throws
            -> Output
    ) -> Subject {
        intercepted(in: subject, by: ReplacedOperation(name: operation.name, body: body))
    }

    /// Returns the subject with one stream replaced by one that is made of clean ones.
    public func replacing<Input: Sendable, Element: Sendable>(
        _ operation: StreamingOperation<Port, Input, Element>,
        in subject: Subject,
        by body:
            @escaping @Sendable (_ clean: @escaping @Sendable (Input) -> PortEvents<Element>, Input) -> PortEvents<
                Element
            >
    ) -> Subject {
        intercepted(in: subject, by: ReplacedStream(name: operation.name, body: body))
    }
}

extension PortCall {
    /// Describes an operation of a port's table.
    public init<Port: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        at place: PortPlace<Subject, Port>
    ) {
        self.init(
            operation.name,
            get: { subject in { try await operation(subject[keyPath: place.path], $0) } },
            replace: { subject, perform in
                place.replacing(operation, in: subject) { _, input in try await perform(input) }
            }
        )
    }
}

extension PortStream {
    /// Describes a stream of a port's table that takes no input.
    public init<Port: Sendable>(
        _ operation: StreamingOperation<Port, Void, Event>,
        at place: PortPlace<Subject, Port>
    ) {
        self.init(operation, at: place) { _ in () }
    }

    /// Describes a stream of a port's table.
    ///
    /// - Parameter input: what the rules subscribe with.
    public init<Port: Sendable, Input: Sendable>(
        _ operation: StreamingOperation<Port, Input, Event>,
        at place: PortPlace<Subject, Port>,
        input: @escaping @Sendable (Subject) -> Input
    ) {
        self.init(
            operation.name,
            get: { operation($0[keyPath: place.path], input($0)) },
            replace: { subject, events in place.replacing(operation, in: subject) { _, _ in events() } }
        )
    }
}

/// Replaces one operation. Within a port, each operation has its own name, so the types agree.
private struct ReplacedOperation<I: Sendable, O: Sendable>: PortInterceptor {
    let name: String
    let body: @Sendable (_ clean: @escaping @Sendable (I) async throws -> O, I) async throws -> O

    func intercepts(_ operation: OperationTraits) -> Bool { operation.name == name }

    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        let clean: @Sendable (I) async throws -> O = { try await cast(next(try cast($0, in: name)), in: name) }
        return try cast(try await body(clean, try cast(input, in: name)), in: name)
    }
}

private struct ReplacedStream<I: Sendable, E: Sendable>: PortInterceptor {
    let name: String
    let body: @Sendable (_ clean: @escaping @Sendable (I) -> PortEvents<E>, I) -> PortEvents<E>

    func intercepts(_ operation: OperationTraits) -> Bool { operation.name == name }

    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        try await next(input)
    }

    func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        do {
            let clean: @Sendable (I) -> PortEvents<E> = { asked in
                do { return castEvents(next(try cast(asked, in: name)), in: name) } catch { return failed(error) }
            }
            return castEvents(body(clean, try cast(input, in: name)), in: name)
        } catch {
            return failed(error)
        }
    }
}

/// - Throws: ``Deviation`` if a port has two operations with the same name.
private func cast<Value, Target>(_ value: Value, in operation: String) throws -> Target {
    guard let target = value as? Target else {
        throw Deviation("'\(operation)' stands for two operations: \(Value.self) is not \(Target.self)")
    }
    return target
}

private func castEvents<A, B: Sendable>(_ events: PortEvents<A>, in operation: String) -> PortEvents<B> {
    do { return try cast(events, in: operation) } catch { return failed(error) }
}

private func failed<Event: Sendable>(_ error: any Error) -> PortEvents<Event> {
    AsyncThrowingStream<Event, any Error> { $0.finish(throwing: error) }
}
