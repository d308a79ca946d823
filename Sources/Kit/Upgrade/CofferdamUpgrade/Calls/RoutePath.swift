import Cofferdam
import struct Synchronization.Atomic

/// The part of a ``Route`` that does not depend on the port's type: it leads each call, from the first one of a session
/// on.
final class RoutePath: CallPath {
    private let sessions: RouteSessions
    /// The session of a route with one session, to be used without being retained. Proof: `sessions` keeps it for as
    /// long as this exists.
    private let own: Unmanaged<UnitSession>?
    let settings: RouteSettings
    private let sides: any OpenSides
    private let instances: OpenInstances
    let isSeparate: Bool
    let notesCalls: Bool
    /// Distinguishes the operations of this capability from others of the session; nil if no call is timed.
    let observedAs: UInt64?
    /// The number of the last call whose beginning was told, in this process.
    static let lastNumber = Atomic<UInt64>(0)
    /// The time of the clock in the settings.
    private let time: @Sendable () -> Duration

    init(sessions: RouteSessions, settings: RouteSettings, sides: any OpenSides) {
        self.sessions = sessions
        own = if case .one(let session) = sessions { .passUnretained(session) } else { nil }
        self.settings = settings
        self.sides = sides
        instances = sides.instances
        isSeparate = settings.dataOwnership == .separate
        notesCalls = settings.calls != nil
        let isTimed = settings.observer != nil || settings.breakers != nil
        observedAs = isTimed ? UInt64(truncatingIfNeeded: settings.capability.hashValue) : nil
        time = Self.time(by: settings.clock)
    }

    /// The session for a call that begins now.
    var session: UnitSession { sessions.current }

    func now() -> Duration { time() }

    // MARK: Calls

    /// The stage chooses the side once for each call, retries included. A walk through pages stays on the side where it
    /// began.
    func begin(_ operation: borrowing OperationTraits, _ cursor: borrowing String?) -> RoutedAttempt {
        var call = RoutedAttempt()
        if let own {
            own._withUnsafeGuaranteedRef { beginNow(operation, $0, cursor, &call) }
        } else {
            beginNow(operation, session, cursor, &call)
        }
        return call
    }

    private func beginNow(
        _ operation: borrowing OperationTraits,
        _ session: UnitSession,
        _ cursor: borrowing String?,
        _ call: inout RoutedAttempt
    ) {
        guard !session.control.isHeld,
            let hasWritten = isSeparate ? session.calls.writes.hasWritten(settings.capability) : false
        else { return }
        let carried = carried(by: cursor, &call)
        begin(operation, session, carried, hasWritten, on: carried, &call)
    }

    func prepare(_ operation: OperationTraits, _ cursor: String?, _ call: inout RoutedAttempt) async throws {
        if call.decision == nil { try await beginWaiting(operation, cursor, &call) }
        while !call.isReady {
            if let error = await prepareNext(operation, decision(of: call), &call) { throw error }
        }
    }

    /// Begins a call that could not begin without waiting.
    private func beginWaiting(
        _ operation: OperationTraits,
        _ cursor: String?,
        _ call: inout RoutedAttempt
    ) async throws {
        var session = session
        while session.control.isHeld {
            try await session.control.waitWhileHeld()
            // Another user may have signed in.
            session = self.session
        }
        let hasWritten = await hasWritten(session)
        let carried = carried(by: cursor, &call)
        begin(operation, session, carried, hasWritten, on: carried, &call)
        guard call.decision == nil, let carried else { return }
        // The walk began on the side that the unit has left. A user's walk continues only while that user is signed in
        // there.
        guard decision(for: operation.name, session).route.opens(carried), await belongsToSameUser(operation) else {
            throw StaleCursor()
        }
        call.isForeign = true
        begin(operation, session, carried, hasWritten, on: nil, &call)
    }

    /// Takes the mark from the cursor.
    ///
    /// - Returns: the side that issued it.
    @inline(__always)
    private func carried(by cursor: borrowing String?, _ call: inout RoutedAttempt) -> Side? {
        switch cursor {
        case .none: return nil
        case .some(let cursor):
            guard CursorMark.mayBeMarked(cursor) else { return .legacy }
            call.cursor = CursorMark.unmarked(copy cursor)
            return CursorMark.side(of: copy cursor)
        }
    }

    /// - Parameters:
    ///   - carried: the side of the cursor in the input.
    ///   - required: the side on which the unit must be; otherwise the call does not begin.
    @inline(__always)
    private func begin(
        _ operation: borrowing OperationTraits,
        _ session: UnitSession,
        _ carried: Side?,
        _ hasWritten: Bool,
        on required: Side?,
        _ call: inout RoutedAttempt
    ) {
        guard
            let (decision, isTimed) = session.began(
                operation,
                isOverridable: !isSeparate,
                observedAs,
                on: required
            )
        else { return }
        call.isTimed = isTimed
        var side = carried ?? decision.side
        if !decision.isAlone {
            let plan = CallPlan(
                at: decision.route,
                effect: operation.effect,
                dataOwnership: settings.dataOwnership,
                unitSide: decision.side,
                isSampled: decision.isSampled && operation.isComparable,
                carried: carried,
                hasWritten: hasWritten
            )
            (side, call.other, call.shadow) = (plan.first, plan.fallback, plan.shadow)
        }
        attempt(operation, on: side, decision, &call)
        // Last, so that it is moved and not copied.
        call.decision = decision
    }

    /// Returns whether the unit has written to data that only the candidate has.
    func hasWritten(_ session: UnitSession) async -> Bool {
        isSeparate ? await session.calls.writes.hasWritten(settings.capability, settings.memory) : false
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

    /// Whether an attempt need not wait for its side.
    @inline(__always)
    func isOpen(_ side: Side) -> Bool { instances.contains(Instance(answering: side)) }

    /// Opens an instance if necessary. Opening is logged like a call, because it may crash the process too.
    func open(
        _ instance: Instance,
        of side: Side,
        for kind: CandidateCall.Kind,
        _ calls: UnitCalls
    ) async throws {
        guard !instances.contains(instance) else { return }
        try await noting(side, kind, calls) { try await sides.open(instance) }
    }

    /// Runs a call, and logs it while it is in flight if it goes to the candidate.
    func noting<Value>(
        _ side: Side,
        _ kind: CandidateCall.Kind,
        _ calls: UnitCalls,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        began(side, kind, calls)
        defer { ended(side, kind, calls) }
        return try await body()
    }

    @inline(__always)
    func began(_ side: Side, _ kind: CandidateCall.Kind, _ calls: UnitCalls) {
        guard notesCalls else { return }
        if side == .candidate {
            settings.calls?.began(calls.candidateCallBegan(kind))
        } else if kind == .answering {
            settings.calls?.beganLegacy(isUnitsOnlyCall: calls.legacyCallBegan())
        }
    }

    @inline(__always)
    func ended(_ side: Side, _ kind: CandidateCall.Kind, _ calls: UnitCalls) {
        guard notesCalls else { return }
        if side == .candidate {
            settings.calls?.ended(calls.candidateCallEnded(kind))
        } else if kind == .answering {
            settings.calls?.endedLegacy(isUnitsOnlyCall: calls.legacyCallEnded())
        }
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
