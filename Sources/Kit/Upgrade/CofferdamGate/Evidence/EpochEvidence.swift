package import Cofferdam  // sides

/// The counters of one epoch. Each record costs O(1), and the memory is bounded.
///
/// Times come from the clock of the caller, as durations since any fixed moment.
package struct EpochEvidence: Sendable {
    package private(set) var key: EpochKey
    /// How many units are remembered, if nothing else is said.
    package static let capacity = 250_000
    /// The length of the window of a unit, if nothing else is said.
    package static let window = Duration.seconds(600)
    /// Starts at 1 and increases with each reset.
    package private(set) var epoch: Int
    /// The baseline of the legacy side from before this epoch, if known.
    package let baseline: LegacyBaseline?
    /// While set, nothing is counted on either side: the breaker of the candidate is open.
    package var isPaused = false

    package private(set) var names = EvidenceNames()
    package var windows: OpenWindows
    /// The operations that are reads, and their places as bits.
    package private(set) var reads: Set<String> = []
    private var readPlaces: UInt64 = 0
    private(set) var openings = FailureCounts.none

    /// - Parameters:
    ///   - window: the length of the window of a unit.
    ///   - capacity: how many units are remembered; at least the horizon of the gate.
    package init(
        _ key: EpochKey,
        epoch: Int = 1,
        baseline: LegacyBaseline? = nil,
        window: Duration = EpochEvidence.window,
        capacity: Int = EpochEvidence.capacity
    ) {
        self.key = key
        self.epoch = epoch
        self.baseline = baseline
        windows = OpenWindows(span: window, capacity: capacity)
    }

    // MARK: Recording

    /// Records a comparison.
    ///
    /// - Parameters:
    ///   - expectation: the id of the expected difference, for the outcome `expected`. An id that the epoch does not
    ///     know is a mismatch.
    ///   - durations: the time of each side, if both answered.
    package mutating func record(
        _ outcome: ComparisonOutcome,
        of operation: String,
        unit: String,
        expectation: String? = nil,
        durations: [Side: Duration] = [:],
        at now: Duration
    ) {
        guard !isPaused, outcome != .cancelled else { return }
        var marks = Marks.outcome(outcome)
        if outcome == .expected {
            let known = expectation.flatMap { key.expectations[$0] == nil ? nil : names.mark(ofExpectation: $0) }
            marks = known.map(marks.union) ?? .outcome(.mismatch)
        }
        if let legacy = durations[.legacy], let candidate = durations[.candidate] {
            if isSlow(legacy, operation) { marks = marks.union(.legacySlow) }
            if isSlow(candidate, operation) { marks = marks.union(.candidateSlow) }
        }
        let rows = rows(of: operation, UnitKey.key(of: unit), .comparisons)
        isRead(operation, in: rows)
        record(marks, rows, at: now)
    }

    /// Records a call to the first-choice side of the unit. Fallback calls, shadow calls and calls that a breaker
    /// refused are not recorded.
    ///
    /// - Parameters:
    ///   - operation: nil to count among all operations only.
    ///   - isAnonymous: whether the unit is only a session. It counts for its operations, and not among all units, where
    ///     sessions would outnumber units.
    ///   - answer: the kind of the error, if it is an answer.
    ///   - duration: the time of the call; nil if it was not timed.
    ///   - limit: the slow limit; nil for that of the baseline.
    ///   - hour: the hour of the visit, since 1970; nil if none is counted.
    package mutating func record(
        _ ending: CallEnding,
        by side: Side,
        of operation: String?,
        unit: String,
        isAnonymous: Bool = false,
        answer: String? = nil,
        took duration: Duration? = nil,
        slowAfter limit: Duration? = nil,
        in hour: Int64? = nil,
        at now: Duration
    ) {
        record(
            ending,
            rows(of: operation, UnitKey.key(of: unit), side == .legacy ? .legacy : .candidate, isAnonymous),
            of: operation,
            answer: answer,
            took: duration,
            slowAfter: limit,
            in: hour,
            at: now
        )
    }

    /// Records a call in its rows.
    package mutating func record(
        _ ending: CallEnding,
        _ rows: CallRows,
        of operation: String?,
        answer: String? = nil,
        took duration: Duration? = nil,
        slowAfter limit: Duration? = nil,
        in hour: Int64? = nil,
        at now: Duration
    ) {
        guard !isPaused, var marks = marks(ending, of: operation, took: duration, slowAfter: limit) else { return }
        if let hour { rows.forEach { windows.visit(marks, $0, in: hour) } }
        if let answer { marks = marks.union(names.mark(ofAnswer: answer, in: rows.tally)) }
        record(marks, rows, at: now)
    }

    /// Records a call to the candidate for the alarm alone.
    package mutating func recordVisit(
        _ ending: CallEnding,
        _ rows: CallRows,
        of operation: String?,
        took duration: Duration?,
        in hour: Int64
    ) {
        guard !isPaused, let marks = marks(ending, of: operation, took: duration) else { return }
        rows.forEach { windows.visit(marks, $0, in: hour) }
    }

    /// Notes the beginning of a call.
    package mutating func began(_ rows: CallRows) { rows.forEach { windows.began($0) } }

    /// Records that a call in flight takes too long already: it is slow, or failed if it is not known what is slow.
    ///
    /// - Parameter hour: the hour of the visit, since 1970; nil if none is counted.
    package mutating func recordLate(_ rows: CallRows, in hour: Int64? = nil, isSlow: Bool, at now: Duration) {
        guard !isPaused else { return }
        let marks: Marks = isSlow ? .slow : .failed
        rows.forEach { slot in
            windows.record(marks, slot, at: now)
            windows.isLate(slot)
            if let hour { windows.visit(marks, slot, in: hour) }
        }
    }

    /// Notes the end of a call.
    package mutating func ended(_ rows: CallRows, wasLate: Bool) {
        rows.forEach { windows.ended($0, wasLate: wasLate) }
    }

    /// The rows of a unit for an operation, and for all together.
    package mutating func rows(
        of operation: String?,
        _ unit: UInt64,
        _ tally: EvidenceTally,
        _ isAnonymous: Bool = false
    ) -> CallRows {
        let place = operation.flatMap { names.place(of: $0) }
        return CallRows(unit: unit, tally: tally, operation: place, isAnonymous: isAnonymous)
    }

    /// Notes that an operation is a read.
    ///
    /// - Parameter rows: of the operation.
    package mutating func isRead(_ operation: String, in rows: CallRows) {
        // Not looked up in a set for each call.
        guard let place = rows.operation, readPlaces & 1 << UInt64(place) == 0 else { return }
        readPlaces |= 1 << UInt64(place)
        reads.insert(operation)
    }

    /// Records a call of a named unit to the candidate. It counts apart, even while other counting is paused.
    package mutating func recordNamed(
        _ ending: CallEnding,
        _ rows: CallRows,
        of operation: String?,
        answer: String? = nil,
        took duration: Duration? = nil,
        at now: Duration
    ) {
        guard var marks = marks(ending, of: operation, took: duration) else { return }
        if let answer { marks = marks.union(names.mark(ofAnswer: answer, in: .named)) }
        record(marks, rows, at: now)
    }

    private mutating func record(_ marks: Marks, _ rows: CallRows, at now: Duration) {
        rows.forEach { windows.record(marks, $0, at: now) }
    }

    /// The marks that a call leaves on its unit; nil for none.
    private func marks(
        _ ending: CallEnding,
        of operation: String?,
        took duration: Duration?,
        slowAfter limit: Duration? = nil
    ) -> Marks? {
        var marks = Marks.none
        var wasSlow = false
        if let operation, let duration {
            wasSlow = limit.map { duration > $0 } ?? isSlow(duration, operation)
        }
        if wasSlow { marks = marks.union(.slow) }
        switch ending {
        case .answered: break
        case .failed: marks = marks.union(.failed)
        case .failedOnBoth: marks = marks.union(.failedOnBoth)
        case .cancelled:
            // A caller that cancels before the call is slow changed its mind; one that cancels later gave up.
            guard wasSlow else { return nil }
            marks = marks.union(.gaveUp)
        }
        return marks
    }

    /// How a call ended.
    package enum CallEnding: Sendable, Hashable { case answered, failed, failedOnBoth, cancelled }

    /// Records an attempt to open the candidate.
    package mutating func recordOpening(isFailed: Bool) { openings = openings + FailureCounts(isFailed ? 1 : 0, of: 1) }

    /// Records a crash: a failure for each unit with calls in flight, as if the candidate had answered with an error.
    /// All calls of one unit are one failure, and so are all calls without a unit.
    ///
    /// It is not known which units these were, so they do not add to the active units: the share that failures are
    /// compared with stays the same, however many calls were in flight. Only if no unit was seen does the crash count
    /// as one. The calls of named units are one failure of one named unit.
    ///
    /// The legacy side's calls count in the same way: an app that ends by itself does so on both sides.
    ///
    /// - Parameters:
    ///   - id: identifies the crash, which counts once.
    ///   - calls: the number of the candidate's calls in flight, with those of named units.
    ///   - units: the number of units with a waiting caller.
    ///   - shadowUnits: the number of units with only shadow calls in flight.
    ///   - legacyUnits: the number of units with a waiting caller on the legacy side.
    package mutating func recordCrash(
        _ id: String,
        calls: Int,
        named namedCalls: Int = 0,
        units: Int,
        shadowUnits: Int = 0,
        legacyUnits: Int = 0,
        at now: Duration
    ) {
        if !isPaused {
            for number in 0..<legacyUnits {
                recordUnseen(.failed.union(.unseen), "crash \(id), legacy \(number)", in: .legacy, at: now)
            }
        }
        guard calls > 0 else { return }
        if namedCalls > 0 {
            recordUnseen(.failed.union(.unseen), "crash \(id), named", in: .named, at: now)
        }
        let hasNoUnit = units + shadowUnits == 0 && (namedCalls == 0 || calls > namedCalls)
        let units = hasNoUnit ? 1 : units
        // A build of the candidate that is out before its stage counts nothing.
        guard !isPaused, key.stage != .aa else { return }
        // At a stage at which the candidate answers no caller, only comparisons are read. At `arms` its builds answer.
        let isCompared = key.stage.side == .legacy && key.stage != .arms
        let compared = isCompared ? units + shadowUnits : shadowUnits
        for number in 0..<(units + shadowUnits) {
            let unit = "crash \(id), \(number)"
            if number < compared {
                recordUnseen(.outcome(.candidateFailed), unit, in: .comparisons, at: now)
            } else {
                recordUnseen(.failed.union(.unseen), unit, in: .candidate, at: now)
            }
        }
    }

    private mutating func recordUnseen(_ marks: Marks, _ unit: String, in tally: EvidenceTally, at now: Duration) {
        let key = UnitKey.key(of: unit)
        windows.recordUnseen(
            marks,
            EvidenceRow.Slot(unit: key, tally: tally, operation: EvidenceNames.all),
            at: now
        )
    }

    /// Settles units whose windows have ended.
    package mutating func settle(until now: Duration) { windows.settle(until: now) }

    /// Ends the windows of a unit with its session.
    package mutating func end(_ unit: String) { windows.end(UnitKey.key(of: unit)) }

    /// When a call of the operation is slow; nil if that is not known.
    package func slowLimit(of operation: String) -> Duration? { baseline?.slowLimit(of: operation) }

    private func isSlow(_ duration: Duration, _ operation: String) -> Bool {
        slowLimit(of: operation).map { duration > $0 } ?? false
    }

    // MARK: Counts and rows

    /// The fold of what this process counted.
    package var counts: EvidenceCounts {
        var counts = EvidenceCounts(key, epoch: epoch)
        (counts.names, counts.units, counts.openings, counts.reads) = (names, windows.counts, openings, reads)
        return counts
    }

    /// What this process counted, as a gate reads it. The caller settles windows first.
    ///
    /// - Parameter seconds: the age of the epoch.
    package func reading(
        afterSeconds seconds: Int,
        breaker: BreakerHistory? = nil,
        isKept: Bool? = nil
    ) -> GateReading {
        counts.reading(against: baseline, afterSeconds: seconds, breaker: breaker, isKept: isKept)
    }

    /// The rows that no ledger has.
    ///
    /// - Parameter offset: the milliseconds since 1970 at which the clock of this evidence began.
    package func unmerged(_ offset: Int64) -> [EvidenceRow] {
        (windows.unmerged ?? [:]).map { slot, state in
            var state = state
            if !slot.tally.isOfVisits { state.began += offset }
            return EvidenceRow(slot: slot, state: state)
        }
    }
}
