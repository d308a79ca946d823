import Cofferdam

/// The part of a ``Route`` that does not depend on the port's type: the session, the decision for a call, and whether
/// the call may go straight to its side.
final class RouteFastPath: FastPath {
    private let sessions: RouteSessions
    let settings: RouteSettings
    let isSeparate: Bool
    private let notesCandidate: Bool
    private let isObserved: Bool
    private let watched = WatchedOperations()
    private let legacy: PortSlot
    private let candidate: PortSlot
    /// The time of the clock in the settings.
    private let time: @Sendable () -> Duration

    /// - Parameters:
    ///   - legacy: holds the port of the legacy side once it is open.
    ///   - candidate: the same for the candidate.
    init(
        sessions: RouteSessions,
        settings: RouteSettings,
        legacy: PortSlot,
        candidate: PortSlot
    ) {
        self.sessions = sessions
        self.settings = settings
        (self.legacy, self.candidate) = (legacy, candidate)
        isSeparate = settings.dataOwnership == .separate
        notesCandidate = settings.calls != nil
        isObserved = settings.observer != nil
        time = Self.time(by: settings.clock)
    }

    /// The session for a call that begins now.
    var session: UnitSession { sessions.current }

    /// Returns the session of a call that has entered the fast path.
    func session(of fastCall: borrowing FastPathCall) -> UnitSession {
        // Proof: only `enter` sets `owner`, and always to a `UnitSession`: a second read of `sessions` may return
        // another one.
        fastCall.owner.map { unsafeDowncast($0, to: UnitSession.self) } ?? sessions.current
    }

    // MARK: Fast path

    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ fastCall: inout FastPathCall
    ) -> AnyPortBox? {
        // A fixed session need not be retained for each call.
        if let session = sessions.only {
            return session._withUnsafeGuaranteedRef { enter(operation, cursor: cursor, &fastCall, $0) }
        }
        let session = sessions.current
        guard let box = enter(operation, cursor: cursor, &fastCall, session) else { return nil }
        fastCall.owner = session
        return box
    }

    @inline(__always)
    private func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ fastCall: inout FastPathCall,
        _ session: UnitSession
    ) -> AnyPortBox? {
        session.began()
        guard let direct = session.directSide(), isReported(operation.nameHash, session),
            // A write to the candidate's own data is recorded off the fast path.
            !isSeparate || operation.effect == .read || direct.side == .legacy,
            matches(direct.side, cursor, &fastCall),
            let box = direct.side == .legacy ? legacy.box : candidate.box
        else {
            session.ended()
            return nil
        }
        fastCall.word = direct.word
        if notesCandidate, direct.side == .candidate {
            candidateBegan(.answering(isNamed: direct.isNamed), session)
        }
        if direct.isSampled, operation.effect == .read, operation.isComparable, Self.isNil(cursor) {
            fastCall.reviewer = placeToCompare(copy operation, on: direct.side, session)
        }
        return box
    }

    /// Returns whether that side can continue from the cursor.
    @inline(__always)
    private func matches(_ side: Side, _ cursor: borrowing String?, _ fastCall: inout FastPathCall) -> Bool {
        switch cursor {
        case .none: return true
        case .some(let cursor):
            guard CursorMark.mayBeMarked(cursor) else { return side == .legacy }
            fastCall.hasMark = true
            return CursorMark.side(of: copy cursor) == side
        }
    }

    private static func isNil(_ cursor: borrowing String?) -> Bool {
        switch cursor {
        case .none: true
        case .some: false
        }
    }

    func leave(_ fastCall: borrowing FastPathCall) {
        if let session = sessions.only { return session._withUnsafeGuaranteedRef { leave(fastCall, $0) } }
        leave(fastCall, session(of: fastCall))
    }

    @inline(__always)
    private func leave(_ fastCall: borrowing FastPathCall, _ session: UnitSession) {
        if notesCandidate, let direct = fastCall.direct, direct.side == .candidate {
            candidateEnded(.answering(isNamed: direct.isNamed), session)
        }
        session.ended()
    }

    /// Reports a failure, or an error that is an answer: both are always reported.
    func failed(_ operation: OperationTraits, by error: any Error, _ fastCall: FastPathCall) {
        let session = session(of: fastCall)
        guard reportsFirstCalls(of: session), let observer = settings.observer,
            !(error is CancellationError)
        else { return }
        let decision = decision(for: operation.name, session)
        // The stage may have changed since the call began.
        guard decision.side == fastCall.direct?.side else { return }
        let attempt = Attempt<Never>(.failure(error), took: .zero, settings.failures)
        observer.called(
            RoutedCall(
                capability: settings.capability,
                operation: operation.name,
                effect: operation.effect,
                stage: decision.stage,
                epoch: decision.epoch,
                unit: session.unit,
                isNamed: decision.isNamed,
                sample: decision.sample,
                side: decision.side,
                role: .first,
                outcome: attempt.outcome,
                answer: attempt.answer,
                duration: nil
            )
        )
    }

    var marksCursors: Bool { true }
    func unmarked(_ cursor: String) -> String? { CursorMark.unmarked(cursor) }
    func marked(_ cursor: String, _ fastCall: borrowing FastPathCall) -> String? {
        fastCall.direct.flatMap { CursorMark.marked(cursor, of: $0.side) }
    }

    // MARK: Evidence

    /// Returns whether the first call of each operation is reported as evidence.
    private func reportsFirstCalls(of session: UnitSession) -> Bool { isObserved && session.isWatched }

    /// Returns whether the first call of that operation was reported.
    private func isReported(_ nameHash: UInt64, _ session: UnitSession) -> Bool {
        guard reportsFirstCalls(of: session) else { return true }
        return watched.contains(WatchedOperations.mark(nameHash, session.generation, session: session.number))
    }

    /// Returns whether this is the unit's first call of the operation and must be reported; marks it as reported.
    func isFirst(_ operation: OperationTraits, by decision: SessionDecision, _ session: UnitSession) -> Bool {
        let mark = WatchedOperations.mark(operation.nameHash, decision.generation, session: session.number)
        return reportsFirstCalls(of: session) && watched.insert(mark)
    }

    // MARK: Shadow

    func now() -> Duration { time() }

    /// Returns the decision by which a call is compared, if the queue has room. Otherwise reports the comparison as
    /// dropped; the call itself continues.
    private func placeToCompare(
        _ operation: OperationTraits,
        on side: Side,
        _ session: UnitSession
    ) -> SessionDecision? {
        let hasPlace = settings.shadowQueue.hasPlace()
        guard hasPlace || settings.observer != nil else { return nil }
        let decision = decision(for: operation.name, session)
        // The stage may have changed since the call began.
        guard decision.isSampled, decision.side == side else { return nil }
        if hasPlace { return decision }
        report(JudgedComparison(.dropped), of: operation.name, by: decision, session)
        return nil
    }

    func submit(_ operation: OperationTraits, _ fastCall: FastPathCall, _ review: @escaping @Sendable () async -> Void)
    {
        guard let decision = fastCall.decision else { return }
        submit(operation.name, by: decision, session(of: fastCall), review)
    }

    /// Submits a comparison; reports it as cancelled if the caller has given up, and as dropped if the queue is full.
    func submit(
        _ operation: String,
        by decision: SessionDecision,
        _ session: UnitSession,
        _ comparison: @escaping @Sendable () async -> Void
    ) {
        if Task.isCancelled {
            report(JudgedComparison(.cancelled), of: operation, by: decision, session)
        } else if !settings.shadowQueue.submit(comparison) {
            report(JudgedComparison(.dropped), of: operation, by: decision, session)
        }
    }

    func report(
        _ judgement: JudgedComparison,
        of operation: String,
        by decision: SessionDecision,
        _ session: UnitSession,
        _ durations: [Side: Duration] = [:]
    ) {
        settings.observer?.compared(
            ShadowComparison(judgement, of: operation, for: session, by: decision, settings, durations)
        )
    }

    // MARK: Decisions

    /// Returns the current decision for an operation.
    func decision(for operation: String, _ session: UnitSession) -> SessionDecision {
        session.decision(for: nameOfOverride(operation))
    }

    /// Returns the name under which an operation may have an override; nil if each side has its own data, because reads
    /// and writes then move together.
    func nameOfOverride(_ operation: String) -> String? { isSeparate ? nil : operation }

    // MARK: The candidate's calls

    /// Runs a call, and logs it while it is in flight if it goes to the candidate.
    func noting<Value>(
        _ side: Side,
        _ kind: CandidateCall.Kind,
        _ session: UnitSession,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard notesCandidate, side == .candidate else { return try await body() }
        candidateBegan(kind, session)
        defer { candidateEnded(kind, session) }
        return try await body()
    }

    private func candidateBegan(_ kind: CandidateCall.Kind, _ session: UnitSession) {
        settings.calls?.began(session.candidateCallBegan(kind))
    }

    private func candidateEnded(_ kind: CandidateCall.Kind, _ session: UnitSession) {
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

extension FastPathCall {
    // Proof for both: a call returns to the path that admitted it, with the values that this path gave it.
    var decision: SessionDecision? { reviewer.map { unsafeDowncast($0, to: SessionDecision.self) } }
    var direct: DirectSide? { DirectSide(word: word) }
}
