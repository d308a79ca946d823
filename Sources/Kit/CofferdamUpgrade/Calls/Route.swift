public import Cofferdam  // a route answers a port's calls

/// The route of one unit's calls of one capability: to the side that the stage says, once for each call, retries included.
///
/// A port is routed by its forwarding conformance, over its table of operations: see `PortOperation`.
///
/// ```swift
/// let catalogue: any Catalogue = Intercepted(source: router.route(for: session, settings: settings, port: \.catalogue))
/// ```
///
/// The caller gets what the side that answers gave it, value or error, and a `CancellationError` when it is cancelled;
/// nothing that happens in the shadow reaches it. A call that one side alone answers goes straight to its port.
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

    public var fastPath: PortFastPath<Port>? { PortFastPath(unchecked: path) }
    var settings: RouteSettings { path.settings }
    var isSeparate: Bool { path.isSeparate }

    public func call<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> Output {
        let session = path.session
        guard let paging = operation.paging, let cursor = paging.cursor(input) else {
            return try await call(operation, input, carried: nil, session)
        }
        let (side, bare) = (CursorMark.side(of: cursor), CursorMark.unmarked(cursor))
        let decision = path.decision(for: operation.name, session)
        var request = input
        if let bare { paging.setCursor(&request, bare) }
        guard decision.side != side else { return try await call(operation, request, carried: side, session) }
        // The walk began on the side that the unit has left. A user's goes on there only while that user is signed in there.
        guard decision.route.opens(side), await isOfSameUser(operation.traits) else { throw paging.invalid(cursor) }
        do {
            return try await call(operation, request, carried: side, session)
        } catch  where bare == nil && !(error is CancellationError) {
            // Without a mark it may be no side's cursor at all, and the side that was asked says nothing of this unit's.
            throw paging.invalid(cursor)
        }
    }

    /// Whether another side than the unit's may answer an operation: what is a user's, where that user is signed in there too.
    func isOfSameUser(_ operation: OperationTraits) async -> Bool {
        operation.ownership == .shared ? true : await settings.isSameUser?() ?? true
    }

    /// - Parameter carried: the side that the input's cursor is of.
    private func call<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        carried: Side?,
        _ session: UnitSession
    ) async throws -> Output {
        session.began()
        defer { session.ended() }
        let hasWritten = isSeparate ? await session.writes.hasWritten(settings.capability, settings.memory) : false
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

    public func review<Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ result: Result<Output, any Error>,
        took duration: Duration,
        _ passage: Passage
    ) async {
        guard let decision = passage.decision, let comparator = operation.comparator else { return }
        let session = path.session(of: passage)
        let first = Attempt(result, took: duration, settings.failures)
        let call = call(operation.traits, by: decision, session, hasWritten: false)
        guard let shadow = call.plan.shadow else { return }
        let muted = operation.progress?.muted(input) ?? input
        await call.compare(first, with: shadow, muted, by: comparator, operation)
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

    /// Opening is a call too, which may end everything.
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
