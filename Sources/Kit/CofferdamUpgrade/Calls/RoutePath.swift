import Cofferdam

/// The part of a ``Route`` that does not depend on the port's type: it leads each call, from the first one of a session
/// on.
final class RoutePath: CallPath {
    private let sessions: RouteSessions
    let settings: RouteSettings
    private let sides: any OpenSides
    let isSeparate: Bool
    private let notesCandidate: Bool
    /// Distinguishes the operations of this capability from others of the session; nil if no call is reported.
    private let observedAs: UInt64?
    /// The time of the clock in the settings.
    private let time: @Sendable () -> Duration

    init(sessions: RouteSessions, settings: RouteSettings, sides: any OpenSides) {
        self.sessions = sessions
        self.settings = settings
        self.sides = sides
        isSeparate = settings.dataOwnership == .separate
        notesCandidate = settings.calls != nil
        observedAs = settings.observer.map { _ in UInt64(truncatingIfNeeded: settings.capability.hashValue) }
        time = Self.time(by: settings.clock)
    }

    /// The session for a call that begins now.
    var session: UnitSession { sessions.current }

    func now() -> Duration { time() }

    // MARK: Calls

    /// The stage chooses the side once for each call, retries included. A walk through pages stays on the side where it
    /// began.
    func lead(
        _ operation: borrowing OperationTraits,
        _ cursor: CallCursor?,
        _ attempt: Attempting,
        comparing: Comparing
    ) async throws -> Side {
        var session = session
        while session.control.isHeld {
            try await session.control.waitWhileHeld()
            // Another user may have signed in.
            session = self.session
        }
        guard let cursor else { return try await call(operation, nil, nil, session, attempt, comparing) }
        let (side, bare) = (CursorMark.side(of: cursor.text), CursorMark.unmarked(cursor.text))
        let decision = decision(for: operation.name, session)
        guard decision.side != side else {
            return try await call(operation, bare, side, session, attempt, comparing)
        }
        // The walk began on the side that the unit has left. A user's walk continues only while that user is signed in
        // there.
        guard decision.route.opens(side), await belongsToSameUser(copy operation) else {
            throw cursor.invalid(cursor.text)
        }
        do {
            return try await call(operation, bare, side, session, attempt, comparing)
        } catch  where bare == nil && !(error is CancellationError) {
            // An unmarked cursor may belong to neither side, and then this error says nothing about the unit's side.
            throw cursor.invalid(cursor.text)
        }
    }

    /// - Parameters:
    ///   - cursor: the cursor as its side issued it, if it had a mark.
    ///   - carried: the side of the cursor in the input.
    @inline(__always)
    private func call(
        _ operation: borrowing OperationTraits,
        _ cursor: String?,
        _ carried: Side?,
        _ session: UnitSession,
        _ attempt: Attempting,
        _ comparing: Comparing
    ) async throws -> Side {
        let hasWritten = isSeparate ? await hasWritten(session) : false
        let (decision, isTimed) = session.began(operation, isOverridable: !isSeparate, observedAs)
        defer { session.ended() }
        let plan = CallPlan(
            at: decision.route,
            effect: operation.effect,
            dataOwnership: settings.dataOwnership,
            unitSide: decision.side,
            isSampled: decision.isSampled && operation.isComparable,
            carried: carried,
            hasWritten: hasWritten
        )
        let call = CallInProgress(
            decision: decision,
            plan: plan,
            path: self,
            session: session,
            operation: copy operation,
            cursor: cursor,
            isTimed: isTimed
        )
        return try await call.run(attempt, comparing)
    }

    /// Returns whether the unit has written to data that only the candidate has.
    func hasWritten(_ session: UnitSession) async -> Bool {
        isSeparate ? await session.writes.hasWritten(settings.capability, settings.memory) : false
    }

    /// Returns whether the other side may answer an operation: a user's operation only if the same user is signed in
    /// there.
    func belongsToSameUser(_ operation: OperationTraits) async -> Bool {
        operation.ownership == .shared ? true : await settings.isSameUser?() ?? true
    }

    func marked(_ cursor: String, of side: Side) -> String? { CursorMark.marked(cursor, of: side) }

    // MARK: Decisions

    /// Returns the current decision for an operation.
    func decision(for operation: String, _ session: UnitSession) -> SessionDecision {
        session.decision(for: nameOfOverride(operation))
    }

    /// Returns the name under which an operation may have an override; nil if each side has its own data, because reads
    /// and writes then move together.
    func nameOfOverride(_ operation: String) -> String? { isSeparate ? nil : operation }

    // MARK: The sides

    /// Whether the side that answers is open.
    func isOpen(_ side: Side) -> Bool { sides.isOpen(Instance(answering: side)) }

    /// Opens an instance if necessary. Opening is logged like a call, because it may crash the process too.
    func open(
        _ instance: Instance,
        of side: Side,
        for kind: CandidateCall.Kind,
        _ session: UnitSession
    ) async throws {
        guard !sides.isOpen(instance) else { return }
        try await noting(side, kind, session) { try await sides.open(instance) }
    }

    /// Runs a call, and logs it while it is in flight if it goes to the candidate.
    func noting<Value>(
        _ side: Side,
        _ kind: CandidateCall.Kind,
        _ session: UnitSession,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        began(side, kind, session)
        defer { ended(side, kind, session) }
        return try await body()
    }

    @inline(__always)
    func began(_ side: Side, _ kind: CandidateCall.Kind, _ session: UnitSession) {
        guard notesCandidate, side == .candidate else { return }
        settings.calls?.began(session.candidateCallBegan(kind))
    }

    @inline(__always)
    func ended(_ side: Side, _ kind: CandidateCall.Kind, _ session: UnitSession) {
        guard notesCandidate, side == .candidate else { return }
        settings.calls?.ended(session.candidateCallEnded(kind))
    }

    /// Returns a function that reads the clock; the system clock is read without dynamic dispatch.
    private static func time(by clock: any Clock<Duration>) -> @Sendable () -> Duration {
        func time(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
        return if let clock = clock as? ContinuousClock { time(by: clock) } else { time(by: clock) }
    }
}

/// The session, or the sessions, of a route.
enum RouteSessions: Sendable {
    case one(UnitSession)
    /// Asked for each call: a call belongs to one session from beginning to end.
    case following(@Sendable () -> UnitSession)

    /// The session of a call that begins now.
    var current: UnitSession {
        switch self {
        case .one(let session): session
        case .following(let session): session()
        }
    }
}
