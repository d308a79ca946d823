public import Cofferdam  // for PortInterceptor

extension TapeRecorder {
    /// Returns an interceptor that records a port's calls, if their operation in the table is `recorded`.
    ///
    /// ```swift
    /// let store: any Store = Intercepted(adapter, by: [recorder.interceptor()])
    /// ```
    ///
    /// - Parameters:
    ///   - port: the first part of the operations' names on a tape of several ports: "store.value".
    ///   - errors: how the port's errors are recorded.
    public func interceptor(
        of port: String? = nil,
        errors: (any TapeErrorRecord.Type)? = nil
    ) -> some PortInterceptor {
        RecordingInterceptor(port: port, taped: self.port((), errors: errors))
    }
}

extension TapePlayer {
    /// Returns a source that answers a port's calls from the tape.
    ///
    /// ```swift
    /// let store: any Store = Intercepted(source: player.source())
    /// ```
    ///
    /// - Parameters:
    ///   - port: the same as for the recording's interceptor.
    ///   - errors: how the port's errors are recorded.
    public func source<Port: Sendable>(
        of port: String? = nil,
        as type: Port.Type = Port.self,
        errors: (any TapeErrorRecord.Type)? = nil
    ) -> some PortSource<Port> {
        ReplayedPort<Port>(port: port, taped: self.port(of: Void.self, errors: errors))
    }
}

private struct RecordingInterceptor: PortInterceptor {
    let port: String?
    let taped: TapedPort<Void>

    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        guard let recording = operation.recording else { return try await next(input) }
        return try await taped.call(port, operation, input, recording, as: recording.record) { try await next(input) }
    }

    func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        guard let recording = operation.recording else { return next(input) }
        return taped.stream(port, operation, recording.arguments(input), as: recording.record) { next(input) }
    }
}

private final class ReplayedPort<Port: Sendable>: PortSource {
    private let port: String?
    private let taped: TapedPort<Void>

    init(port: String?, taped: TapedPort<Void>) {
        self.port = port
        self.taped = taped
    }

    func call<Input, Output>(_ operation: PortOperation<Port, Input, Output>, _ input: Input) async throws -> Output {
        guard let recording = operation.recording else { throw unrecorded(operation.name) }
        return try await taped.call(port, operation, input, recording, as: recording.record) {
            throw self.unrecorded(operation.name)
        }
    }

    func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        guard let recording = operation.recording else {
            return AsyncThrowingStream { $0.finish(throwing: self.unrecorded(operation.name)) }
        }
        let unrecorded = unrecorded(operation.name)
        return taped.stream(port, operation, recording.arguments(input), as: recording.record) {
            AsyncThrowingStream { $0.finish(throwing: unrecorded) }
        }
    }

    private func unrecorded(_ operation: String) -> TapeError {
        TapeError(.unmatched, "its table does not say how it is recorded", subject: nameOnTape(operation, of: port))
    }
}

extension TapedPort<Void> {
    fileprivate func call<Target, Input, Output, Record: TapeRecord<Output>>(
        _ port: String?,
        _ operation: PortOperation<Target, Input, Output>,
        _ input: Input,
        _ recording: TapeRecording<Input, Output>,
        as record: Record.Type,
        _ body: () async throws -> Output
    ) async throws -> Output {
        try await call(
            nameOnTape(operation.name, of: port),
            recording.arguments(input),
            kind: operation.traits.isReading ? .read : .write,
            as: record
        ) { _ in
            try await body()
        }
    }

    fileprivate func stream<Target, Input, Element, Record: TapeRecord<Element>>(
        _ port: String?,
        _ operation: StreamingOperation<Target, Input, Element>,
        _ arguments: TapeArguments,
        as record: Record.Type,
        _ body: () -> PortEvents<Element>
    ) -> PortEvents<Element> {
        stream(nameOnTape(operation.name, of: port), arguments, as: record) { _ in body() }
    }
}

/// "catalogue.animal".
func nameOnTape(_ operation: String, of port: String?) -> String {
    port.map { "\($0).\(operation)" } ?? operation
}
