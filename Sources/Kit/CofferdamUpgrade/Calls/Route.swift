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
/// Nothing that happens in the shadow reaches the caller. A call that only one side answers goes straight to the port
/// of that side.
public final class Route<Port: Sendable>: PortSource {
    let path: RouteFastPath
    let ports: SidePorts<Port>

    init(
        sessions: RouteSessions,
        settings: RouteSettings,
        ports: SidePorts<Port>
    ) {
        self.ports = ports
        path = RouteFastPath(
            sessions: sessions,
            settings: settings,
            legacy: ports.legacy.slot,
            candidate: ports.candidate.slot
        )
    }

    /// Decides for each call, in nanoseconds, whether it goes straight to a side.
    public var fastPath: PortFastPath<Port>? { PortFastPath(unchecked: path) }
    var settings: RouteSettings { path.settings }
    var isSeparate: Bool { path.isSeparate }

    /// Calls the operation on the side chosen for the caller's unit. A walk through pages stays on the side where it
    /// began.
    public func call<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> Output {
        try await path.session.control.waitWhileHeld()
        // After the wait: another user may have signed in.
        let session = path.session
        guard let paging = operation.paging, let cursor = paging.cursor(input) else {
            return try await call(operation, input, carried: nil, session)
        }
        let (side, bare) = (CursorMark.side(of: cursor), CursorMark.unmarked(cursor))
        let decision = path.decision(for: operation.name, session)
        var request = input
        if let bare { paging.setCursor(&request, bare) }
        guard decision.side != side else { return try await call(operation, request, carried: side, session) }
        // The walk began on the side that the unit has left. A user's walk continues only while that user is signed in
        // there.
        guard decision.route.opens(side), await belongsToSameUser(operation.traits) else {
            throw paging.invalid(cursor)
        }
        do {
            return try await call(operation, request, carried: side, session)
        } catch  where bare == nil && !(error is CancellationError) {
            // An unmarked cursor may belong to neither side, and then this error says nothing about the unit's side.
            throw paging.invalid(cursor)
        }
    }

    /// Returns whether the other side may answer an operation: a user's operation only if the same user is signed in
    /// there.
    func belongsToSameUser(_ operation: OperationTraits) async -> Bool {
        operation.ownership == .shared ? true : await settings.isSameUser?() ?? true
    }

    /// - Parameter carried: the side of the cursor in the input.
    private func call<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        carried: Side?,
        _ session: UnitSession
    ) async throws -> Output {
        session.began()
        defer { session.ended() }
        let hasWritten = await hasWritten(session)
        let (decision, isFirst) = session.decision(watching: path.nameOfOverride(operation.name))
        let isFirstOfItsKind = path.isFirst(operation.traits, by: decision, session)
        let call = call(
            operation.traits,
            by: decision,
            session,
            carried: carried,
            hasWritten: hasWritten,
            isTimed: isFirst || isFirstOfItsKind
        )
        var (output, side) = try await call.run(operation, input)
        if let paging = operation.paging, let next = paging.next(output),
            let marked = CursorMark.marked(next, of: side)
        {
            paging.setNext(&output, marked)
        }
        return output
    }

    /// Compares the result with the other side's, if the decision calls for it.
    public func review<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ result: Result<Output, any Error>,
        took duration: Duration,
        _ fastCall: FastPathCall
    ) async {
        guard let decision = fastCall.decision, let comparator = operation.comparator else { return }
        let session = path.session(of: fastCall)
        let first = Attempt(result, took: duration, settings.failures)
        let call = call(operation.traits, by: decision, session, hasWritten: await hasWritten(session))
        guard let shadow = call.plan.shadow else { return }
        let muted = operation.progress?.muted(input) ?? input
        await call.compare(first, with: shadow, muted, by: comparator, operation)
    }

    /// Returns whether the unit has written to data that only the candidate has.
    private func hasWritten(_ session: UnitSession) async -> Bool {
        isSeparate ? await session.writes.hasWritten(settings.capability, settings.memory) : false
    }

    private func call(
        _ operation: OperationTraits,
        by decision: SessionDecision,
        _ session: UnitSession,
        carried: Side? = nil,
        hasWritten: Bool,
        isTimed: Bool = false
    ) -> CallInProgress<Port> {
        CallInProgress(
            decision: decision,
            plan: CallPlan(
                at: decision.route,
                effect: operation.effect,
                dataOwnership: settings.dataOwnership,
                unitSide: decision.side,
                isSampled: decision.isSampled,
                carried: carried,
                hasWritten: hasWritten
            ),
            route: self,
            session: session,
            operation: operation,
            isTimed: isTimed
        )
    }

    /// Opens a port. Opening is logged like a call, because it may crash the process too.
    func port(
        _ instance: Instance,
        of side: Side,
        for kind: CandidateCall.Kind,
        _ session: UnitSession
    ) async throws -> Port {
        if let port = ports.opened(instance) { return port }
        return try await path.noting(side, kind, session) { try await ports.port(instance) }
    }
}

extension Route {
    /// Returns a stream of the unit from the side that the stage wants. When the unit changes sides, the stream follows
    /// without any action by the subscriber, and reports what it may have missed: see
    /// `StreamingOperation.handedOver(by:catchingUp:)`.
    ///
    /// It subscribes at once if its side is open, and fetches an element only on request, so the side decides what a
    /// slow subscriber gets. The side is asked on the subscriber's own thread, so an element that is ready costs no
    /// change of threads; systems of Apple's before version 26 change threads. It ends when the stream of its side
    /// ends. It is released when the consuming task is cancelled or the stream is dropped. Iterate it once.
    public func stream<Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        let session = path.session
        let name = operation.name
        let here = session.streamSide(for: path.nameOfOverride(name))
        let sides = StreamSides<Element>(
            subscribeNow: { [self] side in ports.openedNow(side).map { operation($0, input) } },
            subscribe: { [self] side in
                do {
                    let port = try await port(Instance(answering: side), of: side, for: session.callKind, session)
                    return operation(port, input)
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
            handover: operation.handover ?? .items(gap: { _ in .nothing }, item: { _ in nil }),
            isShared: !isSeparate,
            clock: settings.clock,
            executor: settings.executor
        )
        carrier.begin(watchedBy: session.watch { [weak carrier] in carrier?.look() })
        return RoutedStream(carrier)
    }

    private func catchingUp<Element: Sendable>(
        by list: @escaping @Sendable (Port, Element) async throws -> [Element],
        _ session: UnitSession
    ) -> @Sendable (Side, Element) async throws -> [Element] {
        { side, last in
            let kind = session.callKind
            let port = try await self.port(Instance(answering: side), of: side, for: kind, session)
            return try await self.path.noting(side, kind, session) { try await list(port, last) }
        }
    }

    private func streamFallback(from side: Side, for operation: OperationTraits, _ session: UnitSession) async -> Side?
    {
        let decision = path.decision(for: operation.name, session)
        guard decision.side == side else { return nil }
        return CallPlan(
            at: decision.route,
            effect: operation.effect,
            dataOwnership: settings.dataOwnership,
            unitSide: side,
            isSampled: false,
            hasWritten: await hasWritten(session)
        ).fallback
    }

    private func streamFailed(on side: Side, of operation: String, by error: any Error, _ session: UnitSession) {
        guard let observer = settings.observer, !(error is CancellationError) else { return }
        let decision = path.decision(for: operation, session)
        let outcome: RoutedCall.Outcome =
            switch error {
            case let error as StreamNotOpened: .notOpened(kind: settings.failures.kind(error.underlying))
            default:
                switch settings.failures.meaning(error) {
                case .answer: .answered
                case let meaning: .failed(meaning, kind: settings.failures.kind(error))
                }
            }
        observer.called(
            RoutedCall(
                capability: settings.capability,
                operation: operation,
                isStream: true,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: session.unit,
                isNamed: decision.isNamed,
                side: side,
                // Only the unit's own side is judged, not a side that it has left or a fallback.
                role: decision.side == side ? .first : .fallback,
                outcome: outcome,
                answer: error.answer(by: settings.failures),
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

/// The session, or the sessions, of a route.
struct RouteSessions: Sendable {
    /// The session, if there is only one.
    // Proof: the closure `session` retains it, and the route, which outlives its calls, retains the closure.
    let only: Unmanaged<UnitSession>?
    /// Called for each call: a call belongs to one session from beginning to end.
    private let session: @Sendable () -> UnitSession

    init(_ session: UnitSession) {
        only = .passUnretained(session)
        self.session = { session }
    }

    init(following session: @escaping @Sendable () -> UnitSession) {
        only = nil
        self.session = session
    }

    /// The session of a call that begins now.
    var current: UnitSession { session() }
}
