/// What stands behind a ``Route``.
@usableFromInline
final class RouteCore<Port: Sendable>: Sendable {
    @usableFromInline let session: UnitSession
    let settings: RouteSettings
    @usableFromInline let ports: SidePorts<Port>
    @usableFromInline let isSeparate: Bool

    init(session: UnitSession, settings: RouteSettings, ports: SidePorts<Port>) {
        self.session = session
        self.settings = settings
        self.ports = ports
        isSeparate = settings.backing == .separate
    }

    /// The port that a call just goes to; ``ended()`` is to be called then. Nil if there is more to it: see
    /// ``call(_:_:_:carried:comparing:_:)``.
    @inlinable
    func beginDirectly(_ effect: Effect) -> Port? {
        session.began()
        // A write to the candidate's own data is noted: the unit does not go back.
        if let side = session.directSide(), effect == .read || side == .legacy || !isSeparate,
            let port = ports.opened(side)
        {
            return port
        }
        session.ended()
        return nil
    }

    @inlinable
    func ended() { session.ended() }

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
