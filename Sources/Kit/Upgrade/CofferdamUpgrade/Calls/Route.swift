public import Cofferdam  // a route answers a port's calls

/// Routes the calls of one unit to one capability: the stage chooses the side once for each call, retries included.
///
/// A port is routed by its forwarding conformance, over its table of operations: see `PortOperation`.
///
/// ```swift
/// let catalogue: any Catalogue = Intercepted(source: router.route(for: session, settings: settings, port:
/// \.catalogue))
/// ```
///
/// The caller gets the value or error of the side that answers, and a `CancellationError` when its task is cancelled.
/// Nothing that happens in the shadow reaches the caller.
public final class Route<Port: Sendable>: PortSource {
    let path: RoutePath
    let ports: SidePorts<Port>

    init(sessions: RouteSessions, settings: RouteSettings, ports: SidePorts<Port>) {
        self.ports = ports
        path = RoutePath(sessions: sessions, settings: settings, sides: ports)
    }

    /// The sides chosen for each call.
    public var target: PortTarget<Port>? { PortTarget(ports, by: path) }
    var settings: RouteSettings { path.settings }
    var isSeparate: Bool { path.isSeparate }

    /// Calls the operation on the side chosen for the caller's unit. A walk through pages stays on the side where it
    /// began.
    public func call<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> Output {
        try await Intercepted(source: self).call(operation, input)
    }

    /// Opens a port.
    func port(
        _ instance: Instance,
        of side: Side,
        for kind: CandidateCall.Kind,
        _ calls: UnitCalls
    ) async throws -> Port {
        try await path.open(instance, of: side, for: kind, calls)
        return try await ports.port(instance)
    }
}

extension Route {
    /// Returns a stream of the unit from the side that the stage wants. When the unit changes sides, the stream follows
    /// without any action by the subscriber, and reports what it may have missed: see
    /// `StreamingOperation.handedOver(by:catchingUp:)`.
    ///
    /// It subscribes at once if its side is open, and fetches an element only on request, so the side decides what a
    /// slow subscriber gets. The side is asked on the subscriber's own thread, so an element that is ready costs no
    /// change of threads; systems of Apple's before version 26 change threads. It has the task-locals and the priority
    /// with which the subscriber asked first. It ends when the stream of its side ends. It is released when the consuming
    /// task is cancelled or the stream is dropped. Iterate it once.
    public func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        let session = path.session
        let name = operation.name
        let here = session.streamSide(for: path.nameOfOverride(name))
        let sides = StreamSides(
            subscribeNow: { [self] side in
                ports.openedNow(side).map { port in
                    streamCalled(on: side, of: name, .answered, session)
                    let events = operation(port, input)
                    return { SideElements(events) }
                }
            },
            subscribe: { [self] side in
                do {
                    let port = try await port(Instance(answering: side), of: side, for: session.callKind, session.calls)
                    streamCalled(on: side, of: name, .answered, session)
                    let events = operation(port, input)
                    return { SideElements(events) }
                } catch {
                    throw StreamNotOpened(underlying: error)
                }
            },
            list: operation.catchUp.map { catchingUp(by: $0, session) },
            wanted: { [self] in
                // A stream that cannot be handed over stays on its side.
                operation.handover == nil ? here : session.streamSide(for: path.nameOfOverride(name))
            },
            fallback: { [self] in await streamFallback(from: $0, for: operation.traits, session) },
            failed: { [self] in streamFailed(on: $0, of: name, by: $1, session) }
        )
        let carrier = StreamCarrier(
            sides,
            handover: operation.handover?.erased ?? .items(gap: { _ in .nothing }, item: { _ in nil }),
            isShared: !isSeparate,
            clock: settings.clock,
            executor: settings.executor
        )
        carrier.begin(watchedBy: session.watch { carrier.look() })
        return RoutedStream(carrier)
    }

    private func catchingUp<Element: Sendable>(
        by list: @escaping @Sendable (Port, Element) async throws -> [Element],
        _ session: UnitSession
    ) -> @Sendable (Side, any Sendable) async throws -> [any Sendable] {
        { side, last in
            let kind = session.callKind
            let port = try await self.port(Instance(answering: side), of: side, for: kind, session.calls)
            return try await self.path.noting(side, kind, session.calls) { try await list(port, typed(last)) }
        }
    }

    private func streamFallback(from side: Side, for operation: OperationTraits, _ session: UnitSession) async -> Side?
    {
        let decision = path.decision(for: operation.name, session)
        guard decision.side == side else { return nil }
        let fallback = CallPlan(
            at: decision.route,
            effect: operation.effect,
            dataOwnership: settings.dataOwnership,
            unitSide: side,
            isSampled: false,
            hasWritten: await path.hasWritten(session)
        ).fallback
        guard fallback != nil, await path.belongsToSameUser(operation) else { return nil }
        return fallback
    }

    private func streamFailed(on side: Side, of operation: String, by error: any Error, _ session: UnitSession) {
        guard !Attempt.isCancellation(error) else { return }
        let outcome: RoutedCall.Outcome =
            switch error {
            case let error as StreamNotOpened: .notOpened(kind: settings.failures.kind(error.underlying))
            default:
                switch settings.failures.meaning(error) {
                case .answer: .answered
                case let meaning: .failed(meaning, kind: settings.failures.kind(error))
                }
            }
        streamCalled(on: side, of: operation, outcome, answer: error.answer(by: settings.failures), session)
    }

    /// Reports that a stream was opened, or how it failed: each unit with a stream is one trial.
    private func streamCalled(
        on side: Side,
        of operation: String,
        _ outcome: RoutedCall.Outcome,
        answer: String? = nil,
        _ session: UnitSession
    ) {
        guard let observer = settings.observer else { return }
        let decision = path.decision(for: operation, session)
        observer.called(
            RoutedCall(
                capability: settings.capability,
                operation: operation,
                isStream: true,
                stage: decision.stage,
                epoch: decision.epoch,
                hour: decision.hour,
                unit: session.unit,
                key: decision.calls.key,
                hasEntered: decision.hasEntered,
                isNamed: decision.isNamed,
                side: side,
                // Only the unit's own side is judged, not a side that it has left or a fallback.
                role: decision.side == side ? .first : .fallback,
                outcome: outcome,
                answer: answer,
                duration: nil
            )
        )
    }
}

extension Error {
    /// Returns the kind of the error if it is an answer; nil otherwise.
    fileprivate func answer(by failures: ErrorClassifier) -> String? {
        failures.meaning(self) == .answer ? failures.kind(self) : nil
    }
}
