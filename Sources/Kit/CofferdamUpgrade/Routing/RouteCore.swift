/// What stands behind a ``Route``.
@usableFromInline
final class RouteCore<Port: Sendable>: Sendable {
    @usableFromInline let session: UnitSession
    let settings: RouteSettings
    @usableFromInline let ports: SidePorts<Port>
    @usableFromInline let isSeparate: Bool
    @usableFromInline let notesCandidate: Bool
    /// Whether every unit's first call of each operation is to be told.
    @usableFromInline let tellsFirstCalls: Bool
    @usableFromInline let watched = WatchedOperations()
    /// The time by the settings' clock.
    @usableFromInline let now: @Sendable () -> Duration

    init(session: UnitSession, settings: RouteSettings, ports: SidePorts<Port>) {
        self.session = session
        self.settings = settings
        self.ports = ports
        isSeparate = settings.backing == .separate
        notesCandidate = settings.calls != nil
        tellsFirstCalls = settings.observer != nil && session.isWatched
        now = Self.time(by: settings.clock)
    }

    /// The port that a call just goes to, and its side; ``ended(_:)`` is to be called then. Nil if there is more to it: see
    /// ``call(_:_:_:carried:comparing:_:)``.
    @inlinable
    func beginDirectly(_ effect: Effect, _ operation: String) -> DirectCall<Port>? {
        session.began()
        // A write to the candidate's own data is noted: the unit does not go back.
        if let way = session.directWay(), isToldAlready(operation),
            effect == .read || way.side == .legacy || !isSeparate,
            let port = ports.opened(way.side)
        {
            if notesCandidate, way.side == .candidate { candidateBegan(.answering(isNamed: way.isNamed)) }
            return DirectCall(
                port: port,
                side: way.side,
                isNamed: way.isNamed,
                comparedBy: way.isSampled && effect == .read ? placeToCompare(operation, on: way.side) : nil
            )
        }
        session.ended()
        return nil
    }

    /// Whether the unit's first call of that operation was told.
    @inlinable
    func isToldAlready(_ operation: String) -> Bool {
        guard tellsFirstCalls else { return true }
        return watched.contains(WatchedOperations.mark(operation, session.generation))
    }

    /// A call that went directly to its side has failed, or got an answer that is an error: that is always told.
    @usableFromInline
    func directlyFailed(_ operation: String, _ effect: Effect, on side: Side, by error: any Error) {
        guard tellsFirstCalls, let observer = settings.observer, !(error is CancellationError) else { return }
        let decision = decision(for: operation)
        // The stage may have changed since the call was sent on its way.
        guard decision.side == side else { return }
        let attempt = Attempt<Never>(.failure(error), took: .zero, settings.failures)
        observer.called(
            RoutedCall(
                capability: settings.capability,
                operation: operation,
                effect: effect,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: session.unit,
                isNamed: decision.isNamed,
                sample: decision.sample,
                side: side,
                role: .first,
                outcome: attempt.outcome,
                answer: attempt.answer,
                duration: nil
            )
        )
    }

    /// By what a call that begins now is compared, if there is a place for that. Where there is none, it is told so, and the
    /// call goes on as any other.
    @usableFromInline
    func placeToCompare(_ operation: String, on side: Side) -> SessionDecision? {
        let hasPlace = settings.lane.hasPlace()
        guard hasPlace || settings.observer != nil else { return nil }
        let decision = decision(for: operation)
        // The stage may have changed since the call was sent on its way.
        guard decision.isSampled, decision.side == side else { return nil }
        if hasPlace { return decision }
        told(JudgedComparison(.dropped), of: operation, by: decision)
        return nil
    }

    /// Has a call compared that went directly to its side, and has ended. Inlined, and all else left to the lane: what it keeps
    /// there needs no types looked up.
    @inlinable
    func compare<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ result: Result<Output, any Error>,
        since start: Duration,
        by decision: SessionDecision,
        comparing comparator: @escaping @Sendable () -> Comparator<Output>,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) {
        let duration = now() - start
        submit(operation, by: decision) { [self] in
            await compareNow(operation, input, result, took: duration, by: decision, comparing: comparator, body)
        }
    }

    @usableFromInline
    func compareNow<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ result: Result<Output, any Error>,
        took duration: Duration,
        by decision: SessionDecision,
        comparing comparator: @Sendable () -> Comparator<Output>,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) async {
        let first = Attempt(result, took: duration, settings.failures)
        let call = call(operation, .read, by: decision, hasWritten: false)
        guard let shadow = call.plan.shadow else { return }
        await call.compare(first, with: shadow, input, by: comparator, body)
    }

    /// Leaves a comparison to the lane, if the caller is still there, and there is a place for it.
    @usableFromInline
    func submit(
        _ operation: String,
        by decision: SessionDecision,
        _ comparison: @escaping @Sendable () async -> Void
    ) {
        if Task.isCancelled {
            told(JudgedComparison(.cancelled), of: operation, by: decision)
        } else if !settings.lane.submit(comparison) {
            told(JudgedComparison(.dropped), of: operation, by: decision)
        }
    }

    func told(
        _ judgement: JudgedComparison,
        of operation: String,
        by decision: SessionDecision,
        _ durations: [Side: Duration] = [:]
    ) {
        settings.observer?.compared(
            ShadowComparison(judgement, of: operation, for: session, by: decision, settings, durations)
        )
    }

    @inlinable
    func ended(_ call: DirectCall<Port>) {
        if notesCandidate, call.side == .candidate { candidateEnded(.answering(isNamed: call.isNamed)) }
        session.ended()
    }

    /// Does what reaches that side, noted while it is under way.
    func noting<Value>(
        _ side: Side,
        _ kind: CandidateCall.Kind,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard notesCandidate, side == .candidate else { return try await body() }
        candidateBegan(kind)
        defer { candidateEnded(kind) }
        return try await body()
    }

    @usableFromInline
    func candidateBegan(_ kind: CandidateCall.Kind) { settings.calls?.began(session.candidateCallBegan(kind)) }

    @usableFromInline
    func candidateEnded(_ kind: CandidateCall.Kind) { settings.calls?.ended(session.candidateCallEnded(kind)) }

    /// Opening is a call too, which may end everything.
    func port(_ instance: Instance, of side: Side, for kind: CandidateCall.Kind) async throws -> Port {
        if let port = ports.opened(instance) { return port }
        return try await noting(side, kind) { try await ports.port(instance) }
    }

    /// A call by its plan.
    ///
    /// - Parameter carried: the side that the input's cursor or handle is of.
    /// - Returns: the value, and who gave it.
    @usableFromInline
    func call<Input: Sendable, Output: Sendable>(
        _ operation: String,
        _ input: Input,
        _ effect: Effect,
        carried: Side? = nil,
        comparing comparator: (@Sendable () -> Comparator<Output>)?,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) async throws -> (output: Output, side: Side) {
        session.began()
        defer { session.ended() }
        let hasWritten = isSeparate ? await session.writes.hasWritten(by: settings) : false
        let (decision, isFirst) = session.decision(watching: nameOfOverride(operation))
        let mark = WatchedOperations.mark(operation, decision.generation)
        let isFirstOfItsKind = tellsFirstCalls && watched.insert(mark)
        let call = call(
            operation,
            effect,
            by: decision,
            carried: carried,
            hasWritten: hasWritten,
            isTimed: isFirst || isFirstOfItsKind
        )
        return try await call.run(input, comparing: comparator, body)
    }

    /// What holds now for an operation.
    func decision(for operation: String) -> SessionDecision { session.decision(for: nameOfOverride(operation)) }

    /// Under which name an operation may have a stage of its own. Nil where each side has data of its own: reads and writes
    /// move together there.
    func nameOfOverride(_ operation: String) -> String? { isSeparate ? nil : operation }

    private func call(
        _ operation: String,
        _ effect: Effect,
        by decision: SessionDecision,
        carried: Side? = nil,
        hasWritten: Bool,
        isTimed: Bool = false
    ) -> CallInProgress<Port> {
        CallInProgress(
            decision: decision,
            plan: CallPlan(
                at: decision.route,
                effect: effect,
                backing: settings.backing,
                unitSide: decision.side,
                isSampled: decision.isSampled,
                carried: carried,
                hasWritten: hasWritten
            ),
            route: self,
            operation: operation,
            effect: effect,
            isTimed: isTimed
        )
    }

    /// Read at each call: the system's clock without the detour over a protocol.
    private static func time(by clock: any Clock<Duration>) -> @Sendable () -> Duration {
        func time(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
        return if let clock = clock as? ContinuousClock { time(by: clock) } else { time(by: clock) }
    }
}
