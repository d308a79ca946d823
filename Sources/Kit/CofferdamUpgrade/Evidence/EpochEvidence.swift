import Cofferdam

/// The counters of one epoch. Each record costs O(1), and the memory is bounded.
///
/// Times come from the clock of the caller, as durations since any fixed moment.
struct EpochEvidence: Sendable {
    private(set) var key: EpochKey
    /// Starts at 1 and increases with each reset.
    private(set) var epoch: Int
    /// The baseline of the legacy side from before this epoch, if known.
    let baseline: LegacyBaseline?
    /// While set, nothing is counted on either side: the breaker of the candidate is open.
    var isPaused = false

    /// The operations, by place. Operations beyond the last place count only among all operations.
    private(set) var operations: [String] = []
    private(set) var texts = OutcomeTexts()
    var comparisons: WindowTally<ComparisonMarks>
    var legacy: WindowTally<CallMarks>
    var candidate: WindowTally<CallMarks>
    /// The calls of named units to the candidate, which belong to no arm and no test.
    var named: WindowTally<CallMarks>
    /// The kinds of answers to named units, kept apart so that they create no kinds for other units.
    private(set) var namedTexts = OutcomeTexts()
    /// The operations that are reads.
    var reads: Set<String> = []
    private(set) var openings = FailureCounts.none

    /// The place of all operations together.
    static let all = 63

    /// The default number of remembered units, and of open windows.
    static let capacity = 250_000

    /// - Parameters:
    ///   - window: the length of the window of a unit.
    ///   - capacity: how many units are remembered; at least the horizon of the gate.
    init(
        _ key: EpochKey,
        epoch: Int = 1,
        baseline: LegacyBaseline? = nil,
        window: Duration = EvidenceRecorder.window,
        capacity: Int = EpochEvidence.capacity
    ) {
        self.key = key
        self.epoch = epoch
        self.baseline = baseline
        comparisons = WindowTally(span: window, capacity: capacity)
        legacy = WindowTally(span: window, capacity: capacity)
        candidate = WindowTally(span: window, capacity: capacity)
        named = WindowTally(span: window, capacity: capacity)
    }

    // MARK: Recording

    /// Records a comparison.
    ///
    /// - Parameters:
    ///   - expectation: the id of the expected difference, for the outcome `expected`. An id that the epoch does not
    ///     know is a mismatch.
    ///   - durations: the time of each side, if both answered.
    mutating func record(
        _ outcome: ComparisonOutcome,
        of operation: String,
        unit: String,
        expectation: String? = nil,
        durations: [Side: Duration] = [:],
        at now: Duration
    ) {
        guard !isPaused, outcome != .cancelled else { return }
        var (outcome, expectation) = (outcome, outcome == .expected ? expectation : nil)
        if outcome == .expected, expectation.flatMap({ key.expectations[$0] }) == nil {
            (outcome, expectation) = (.mismatch, nil)
        }
        var slow: ComparisonMarks.Slow = []
        if let legacy = durations[.legacy], let candidate = durations[.candidate] {
            if isSlow(legacy, operation) { slow.insert(.legacy) }
            if isSlow(candidate, operation) { slow.insert(.candidate) }
        }
        let marks = ComparisonMarks(outcome, expectation: expectation, slow: slow)
        reads.insert(operation)
        forEachPlace(of: operation) { comparisons, place in
            comparisons.comparisons.record(marks, unit: UnitKey.key(of: unit), operation: place, at: now)
        }
    }

    /// Records a call to the first-choice side of the unit. Fallback calls, shadow calls and calls that a breaker
    /// refused are not recorded.
    ///
    /// - Parameters:
    ///   - operation: nil to count among all operations only.
    ///   - answer: the kind of the error, if it is an answer.
    ///   - duration: the time of the call; nil if it was not timed.
    ///   - limit: the slow limit; nil for that of the baseline.
    mutating func record(
        _ ending: CallEnding,
        by side: Side,
        of operation: String?,
        unit: String,
        answer: String? = nil,
        took duration: Duration? = nil,
        slowAfter limit: Duration? = nil,
        at now: Duration
    ) {
        guard !isPaused, var marks = marks(ending, of: operation, took: duration, slowAfter: limit) else { return }
        if let answer { marks.answers = texts.bit(ofAnswer: answer) }
        let key = UnitKey.key(of: unit)
        forEachPlace(of: operation) { evidence, place in
            switch side {
            case .legacy: evidence.legacy.record(marks, unit: key, operation: place, at: now)
            case .candidate: evidence.candidate.record(marks, unit: key, operation: place, at: now)
            }
        }
    }

    /// Records a call of a named unit to the candidate. It counts apart, even while other counting is paused.
    mutating func recordNamed(
        _ ending: CallEnding,
        of operation: String?,
        unit: String,
        answer: String? = nil,
        took duration: Duration? = nil,
        at now: Duration
    ) {
        guard var marks = marks(ending, of: operation, took: duration) else { return }
        if let answer { marks.answers = namedTexts.bit(ofAnswer: answer) }
        let key = UnitKey.key(of: unit)
        forEachPlace(of: operation) { $0.named.record(marks, unit: key, operation: $1, at: now) }
    }

    /// The marks that a call leaves on its unit; nil for none.
    private func marks(
        _ ending: CallEnding,
        of operation: String?,
        took duration: Duration?,
        slowAfter limit: Duration? = nil
    ) -> CallMarks? {
        var marks = CallMarks(marks: [])
        var wasSlow = false
        if let operation, let duration {
            wasSlow = limit.map { duration > $0 } ?? isSlow(duration, operation)
        }
        if wasSlow { marks.marks.insert(.slow) }
        switch ending {
        case .answered: break
        case .failed: marks.marks.insert(.failed)
        case .cancelled:
            // A caller that cancels before the call is slow changed its mind; one that cancels later gave up.
            guard wasSlow else { return nil }
            marks.marks.insert(.gaveUp)
        }
        return marks
    }

    /// How a call ended.
    enum CallEnding: Sendable, Hashable { case answered, failed, cancelled }

    /// Records an attempt to open the candidate.
    mutating func recordOpening(isFailed: Bool) { openings = openings + FailureCounts(isFailed ? 1 : 0, of: 1) }

    /// Records a crash: a failure for each unit with calls in flight, as if the candidate had answered with an error.
    /// All calls of one unit are one failure, and so are all calls without a unit.
    ///
    /// It is not known which units these were, so they do not add to the active units: the share that failures are
    /// compared with stays the same, however many calls were in flight. Only if no unit was seen does the crash count
    /// as one. The calls of named units are one failure of one named unit.
    mutating func record(_ end: InFlightFile.Crash, id: String, at now: Duration) {
        if end.namedCalls > 0 {
            let unit = UnitKey.key(of: "crash \(id), named")
            named.recordUnseen(CallMarks(marks: [.failed, .unseen]), unit: unit, operation: Self.all, at: now)
        }
        let hasNoUnit = end.units + end.shadowUnits == 0 && (end.namedCalls == 0 || end.calls > end.namedCalls)
        let units = hasNoUnit ? 1 : end.units
        // A build of the candidate that is out before its stage counts nothing.
        guard !isPaused, key.stage != .aa else { return }
        // At a stage at which the candidate answers no caller, only comparisons are read. At `arms` its builds answer.
        let isCompared = key.stage.side == .legacy && key.stage != .arms
        let compared = isCompared ? units + end.shadowUnits : end.shadowUnits
        for number in 0..<(units + end.shadowUnits) {
            let unit = UnitKey.key(of: "crash \(id), \(number)")
            if number < compared {
                comparisons.recordUnseen(ComparisonMarks(.candidateFailed), unit: unit, operation: Self.all, at: now)
            } else {
                candidate.recordUnseen(CallMarks(marks: [.failed, .unseen]), unit: unit, operation: Self.all, at: now)
            }
        }
    }

    /// Settles units whose windows have ended.
    mutating func settle(until now: Duration) {
        comparisons.settle(until: now)
        legacy.settle(until: now)
        candidate.settle(until: now)
        named.settle(until: now)
    }

    /// Ends the windows of a unit with its session.
    mutating func end(_ unit: String) {
        let key = UnitKey.key(of: unit)
        comparisons.end(key)
        legacy.end(key)
        candidate.end(key)
        named.end(key)
    }

    private func isSlow(_ duration: Duration, _ operation: String) -> Bool {
        baseline?.slowLimit(of: operation).map { duration > $0 } ?? false
    }

    private mutating func forEachPlace(of operation: String?, _ body: (inout EpochEvidence, Int) -> Void) {
        body(&self, Self.all)
        if let place = operation.flatMap({ place(of: $0) }) { body(&self, place) }
    }

    /// The place of an operation; nil if all places are taken.
    mutating func place(of operation: String) -> Int? {
        if let place = operations.firstIndex(of: operation) { return place }
        guard operations.count < Self.all else { return nil }
        operations.append(operation)
        return operations.count - 1
    }

    // MARK: Persistence

    /// Restores the operations at their places.
    mutating func adoptOperations(_ names: [String]) {
        if operations.isEmpty { operations = Array(names.prefix(Self.all)) }
    }

    /// Parses marks, as ``OutcomeTexts/calls(_:)`` does.
    mutating func calls(_ text: String) -> CallMarks? { texts.calls(text) }

    /// The same for a named unit.
    mutating func namedCalls(_ text: String) -> CallMarks? { namedTexts.calls(text) }

    mutating func adoptOpenings(_ counts: FailureCounts) { openings = counts }
}
