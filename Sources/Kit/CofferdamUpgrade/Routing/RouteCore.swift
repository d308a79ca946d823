/// What stands behind a ``Route``.
@usableFromInline
final class RouteCore<Port: Sendable>: Sendable {
    @usableFromInline let session: UnitSession
    let settings: RouteSettings
    @usableFromInline let ports: SidePorts<Port>
    @usableFromInline let isSeparate: Bool
    @usableFromInline let calls: (any CandidateCallLog)?

    init(session: UnitSession, settings: RouteSettings, ports: SidePorts<Port>) {
        self.session = session
        self.settings = settings
        self.ports = ports
        isSeparate = settings.backing == .separate
        calls = settings.calls
    }

    /// The port that a call just goes to, and its side; ``ended(_:)`` is to be called then. Nil if there is more to it: see
    /// ``call(_:_:_:carried:comparing:_:)``.
    @inlinable
    func beginDirectly(_ effect: Effect) -> (port: Port, side: Side)? {
        session.began()
        // A write to the candidate's own data is noted: the unit does not go back.
        if let side = session.directSide(), effect == .read || side == .legacy || !isSeparate,
            let port = ports.opened(side)
        {
            if side == .candidate { calls?.began() }
            return (port, side)
        }
        session.ended()
        return nil
    }

    @inlinable
    func ended(_ side: Side) {
        if side == .candidate { calls?.ended() }
        session.ended()
    }

    /// Does what reaches that side, noted while it is under way.
    func noting<Value>(_ side: Side, _ body: () async throws -> Value) async rethrows -> Value {
        guard side == .candidate, let calls else { return try await body() }
        calls.began()
        defer { calls.ended() }
        return try await body()
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
        comparing comparator: () -> Comparator<Output>?,
        _ body: @escaping Route<Port>.Body<Input, Output>
    ) async throws -> (output: Output, side: Side) {
        session.began()
        defer { session.ended() }
        let decision = session.decision(watching: operation)
        let call = CallInProgress(
            decision: decision,
            plan: CallPlan(
                at: decision.stage,
                effect: effect,
                backing: settings.backing,
                unitSide: decision.side,
                isSampled: decision.isSampled,
                carried: carried,
                hasWritten: decision.hasWritten
            ),
            route: self,
            operation: operation,
            effect: effect
        )
        return try await call.run(input, comparing: comparator, body)
    }
}
