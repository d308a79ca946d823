import Cofferdam

/// What of a ``Route`` knows no port's type: who is at work, what holds for a call, and whether it may go straight to its side.
final class RouteFastPath: FastPath {
    private let sessions: RouteSessions
    let settings: RouteSettings
    let isSeparate: Bool
    private let notesCandidate: Bool
    private let isObserved: Bool
    private let watched = WatchedOperations()
    private let legacy: PortSlot
    private let candidate: PortSlot
    /// The time by the settings' clock.
    private let time: @Sendable () -> Duration

    /// - Parameters:
    ///   - legacy: where the legacy side's port is found once it is open, and the candidate's.
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

    /// The session of a call that begins now.
    var session: UnitSession { sessions.current }

    /// The session of a call that has entered.
    func session(of passage: borrowing Passage) -> UnitSession {
        // Proof: `enter` puts there what it may not take from `sessions` once more.
        passage.owner.map { unsafeDowncast($0, to: UnitSession.self) } ?? sessions.current
    }

    // MARK: Straight to a side

    func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ passage: inout Passage
    ) -> AnyPortBox? {
        // A session that is always the same is not retained for each call.
        if let session = sessions.only {
            return session._withUnsafeGuaranteedRef { enter(operation, cursor: cursor, &passage, $0) }
        }
        let session = sessions.current
        guard let box = enter(operation, cursor: cursor, &passage, session) else { return nil }
        passage.owner = session
        return box
    }

    @inline(__always)
    private func enter(
        _ operation: borrowing OperationTraits,
        cursor: borrowing String?,
        _ passage: inout Passage,
        _ session: UnitSession
    ) -> AnyPortBox? {
        session.began()
        guard let direct = session.directSide(), isTold(operation.nameHash, session),
            // A write to the candidate's own data is noted: the unit does not go back.
            !isSeparate || operation.effect == .read || direct.side == .legacy,
            isOf(direct.side, cursor, &passage),
            let box = direct.side == .legacy ? legacy.box : candidate.box
        else {
            session.ended()
            return nil
        }
        passage.word = direct.word
        if notesCandidate, direct.side == .candidate {
            candidateBegan(.answering(isNamed: direct.isNamed), session)
        }
        if direct.isSampled, operation.effect == .read, operation.isComparable, Self.isNil(cursor) {
            passage.reviewer = placeToCompare(copy operation, on: direct.side, session)
        }
        return box
    }

    /// Whether the call may go on from that cursor on that side.
    @inline(__always)
    private func isOf(_ side: Side, _ cursor: borrowing String?, _ passage: inout Passage) -> Bool {
        switch cursor {
        case .none: return true
        case .some(let cursor):
            guard CursorMark.mayBeMarked(cursor) else { return side == .legacy }
            passage.hasMark = true
            return CursorMark.side(of: copy cursor) == side
        }
    }

    private static func isNil(_ cursor: borrowing String?) -> Bool {
        switch cursor {
        case .none: true
        case .some: false
        }
    }

    func leave(_ passage: borrowing Passage) {
        if let session = sessions.only { return session._withUnsafeGuaranteedRef { leave(passage, $0) } }
        leave(passage, session(of: passage))
    }

    @inline(__always)
    private func leave(_ passage: borrowing Passage, _ session: UnitSession) {
        if notesCandidate, let direct = passage.direct, direct.side == .candidate {
            candidateEnded(.answering(isNamed: direct.isNamed), session)
        }
        session.ended()
    }

    /// A failure, or an answer that is an error, is always told.
    func failed(_ operation: OperationTraits, by error: any Error, _ passage: Passage) {
        let session = session(of: passage)
        guard tellsFirstCalls(of: session), let observer = settings.observer,
            !(error is CancellationError)
        else { return }
        let decision = decision(for: operation.name, session)
        // The stage may have changed since the call was sent on its way.
        guard decision.side == passage.direct?.side else { return }
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
    func marked(_ cursor: String, _ passage: borrowing Passage) -> String? {
        passage.direct.flatMap { CursorMark.marked(cursor, of: $0.side) }
    }

    // MARK: Told to the evidence

    /// Whether each unit's first call of each operation is told to the evidence.
    private func tellsFirstCalls(of session: UnitSession) -> Bool { isObserved && session.isWatched }

    /// Whether the unit's first call of that operation was told.
    private func isTold(_ nameHash: UInt64, _ session: UnitSession) -> Bool {
        guard tellsFirstCalls(of: session) else { return true }
        return watched.contains(WatchedOperations.mark(nameHash, session.generation, session: session.number))
    }

    /// Whether this is the unit's first call of that operation, to be told to the evidence; from now on it is not.
    func isFirst(_ operation: OperationTraits, by decision: SessionDecision, _ session: UnitSession) -> Bool {
        let mark = WatchedOperations.mark(operation.nameHash, decision.generation, session: session.number)
        return tellsFirstCalls(of: session) && watched.insert(mark)
    }

    // MARK: Compared in the shadow

    func now() -> Duration { time() }

    /// By what a call that begins now is compared, if there is a place for that. Where there is none, it is told so, and the
    /// call goes on as any other.
    private func placeToCompare(
        _ operation: OperationTraits,
        on side: Side,
        _ session: UnitSession
    ) -> SessionDecision? {
        let hasPlace = settings.shadowQueue.hasPlace()
        guard hasPlace || settings.observer != nil else { return nil }
        let decision = decision(for: operation.name, session)
        // The stage may have changed since the call was sent on its way.
        guard decision.isSampled, decision.side == side else { return nil }
        if hasPlace { return decision }
        told(JudgedComparison(.dropped), of: operation.name, by: decision, session)
        return nil
    }

    func submit(_ operation: OperationTraits, _ passage: Passage, _ review: @escaping @Sendable () async -> Void) {
        guard let decision = passage.decision else { return }
        submit(operation.name, by: decision, session(of: passage), review)
    }

    /// Leaves a comparison to the queue, if the caller is still there, and there is a place for it.
    func submit(
        _ operation: String,
        by decision: SessionDecision,
        _ session: UnitSession,
        _ comparison: @escaping @Sendable () async -> Void
    ) {
        if Task.isCancelled {
            told(JudgedComparison(.cancelled), of: operation, by: decision, session)
        } else if !settings.shadowQueue.submit(comparison) {
            told(JudgedComparison(.dropped), of: operation, by: decision, session)
        }
    }

    func told(
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

    // MARK: What holds

    /// What holds now for an operation.
    func decision(for operation: String, _ session: UnitSession) -> SessionDecision {
        session.decision(for: nameOfOverride(operation))
    }

    /// Under which name an operation may have a stage of its own. Nil where each side has data of its own: reads and writes
    /// move together there.
    func nameOfOverride(_ operation: String) -> String? { isSeparate ? nil : operation }

    // MARK: The candidate's calls

    /// Does what reaches that side, noted while it is under way.
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

    /// Read at each call: the system's clock without the detour over a protocol.
    private static func time(by clock: any Clock<Duration>) -> @Sendable () -> Duration {
        func time(by clock: some Clock<Duration>) -> @Sendable () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
        return if let clock = clock as? ContinuousClock { time(by: clock) } else { time(by: clock) }
    }
}

extension Passage {
    // Proof for both: a call comes back to the path that let it in, with what that gave it.
    var decision: SessionDecision? { reviewer.map { unsafeDowncast($0, to: SessionDecision.self) } }
    var direct: DirectSide? { DirectSide(word: word) }
}
