import Cofferdam

/// All that is counted in one epoch. Each record costs O(1); the memory is bounded whatever is recorded.
///
/// Times are given by the caller's clock, as durations since any one moment.
struct EpochEvidence: Sendable {
    private(set) var key: EpochKey
    /// From 1, one more with each reset.
    private(set) var epoch: Int
    /// What the legacy side did before this epoch, if that is known.
    let baseline: LegacyBaseline?
    /// While it is set nothing is counted, on either side: the candidate's breaker is open.
    var isPaused = false

    /// The operations by their places; those that come when all places are taken count among all operations alone.
    private(set) var operations: [String] = []
    private(set) var texts = OutcomeTexts()
    var comparisons: WindowTally<ComparisonMarks>
    var legacy: WindowTally<CallMarks>
    var candidate: WindowTally<CallMarks>
    /// What the candidate did for named units: in no arm, and in no test.
    var named: WindowTally<CallMarks>
    /// The kinds of answers that those got: none of the others' kinds is made by them.
    private(set) var namedTexts = OutcomeTexts()
    /// The operations that are reads.
    var reads: Set<String> = []
    private(set) var openings = FailureCounts.none

    /// The place of all operations together.
    static let all = 63

    /// How many units are remembered by default, and how many windows may be open.
    static let capacity = 250_000

    /// - Parameters:
    ///   - window: how long a unit's window lasts.
    ///   - capacity: how many units are remembered, at least as many as the gate's horizon.
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

    // MARK: What is counted

    /// Both sides were asked.
    ///
    /// - Parameters:
    ///   - expectation: the id of the expected difference, for the outcome `expected`. One that is none of the epoch's is a
    ///     mismatch.
    ///   - durations: how long each side took, where both answered.
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

    /// The side that was the unit's first choice was asked. A call that fell back, a shadow call and a refusal of the breaker's are
    /// no first choices, and are not recorded.
    ///
    /// - Parameters:
    ///   - operation: nil for what counts among all operations alone.
    ///   - answer: the kind of the error, where it is an answer.
    ///   - duration: how long it took; nil where it was not timed.
    ///   - limit: from when on it was slow; nil for the baseline's own.
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

    /// The candidate was asked by a named unit, whose calls count apart, also while nothing else is counted.
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

    /// What a call does to its unit; nil where that is nothing.
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
            // A caller that goes before the call is slow has changed its mind; one that goes later has given up.
            guard wasSlow else { return nil }
            marks.marks.insert(.gaveUp)
        }
        return marks
    }

    /// How a call ended.
    enum CallEnding: Sendable, Hashable { case answered, failed, cancelled }

    /// An SDK was opened, or failed to.
    mutating func recordOpening(isFailed: Bool) { openings = openings + FailureCounts(isFailed ? 1 : 0, of: 1) }

    /// A process ended while the candidate was called: a failure for each unit whose calls were under way, as if the candidate had
    /// answered them by an error. All calls of one unit are one failure, and those of no unit are one together.
    ///
    /// Which units they were is not known. So none is an active unit beside those that were seen: the share of the units, which
    /// failures are held against, is what it was, however many calls were under way. Only where none was seen there is one. Named
    /// units' calls are one failure of one named unit.
    mutating func record(_ end: InFlightFile.Crash, id: String, at now: Duration) {
        if end.namedCalls > 0 {
            let unit = UnitKey.key(of: "unclean end \(id), named")
            named.recordUnseen(CallMarks(marks: [.failed, .unseen]), unit: unit, operation: Self.all, at: now)
        }
        let isOfNoUnit = end.units + end.shadowUnits == 0 && (end.namedCalls == 0 || end.calls > end.namedCalls)
        let units = isOfNoUnit ? 1 : end.units
        // Where the candidate answers no caller by its stage, comparisons are all that is looked at.
        let compared = key.stage.side == .legacy ? units + end.shadowUnits : end.shadowUnits
        guard !isPaused else { return }
        for number in 0..<(units + end.shadowUnits) {
            let unit = UnitKey.key(of: "unclean end \(id), \(number)")
            if number < compared {
                comparisons.recordUnseen(ComparisonMarks(.candidateFailed), unit: unit, operation: Self.all, at: now)
            } else {
                candidate.recordUnseen(CallMarks(marks: [.failed, .unseen]), unit: unit, operation: Self.all, at: now)
            }
        }
    }

    /// Settles the units whose windows have ended by then.
    mutating func settle(until now: Duration) {
        comparisons.settle(until: now)
        legacy.settle(until: now)
        candidate.settle(until: now)
        named.settle(until: now)
    }

    /// The unit's session has ended.
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

    /// Nil where all places are taken.
    mutating func place(of operation: String) -> Int? {
        if let place = operations.firstIndex(of: operation) { return place }
        guard operations.count < Self.all else { return nil }
        operations.append(operation)
        return operations.count - 1
    }

    // MARK: Beyond the process

    /// Goes on with what was saved: the operations stand at their places.
    mutating func adoptOperations(_ names: [String]) {
        if operations.isEmpty { operations = Array(names.prefix(Self.all)) }
    }

    /// As ``OutcomeTexts/calls(_:)``.
    mutating func calls(_ text: String) -> CallMarks? { texts.calls(text) }

    /// The same, of a named unit.
    mutating func namedCalls(_ text: String) -> CallMarks? { namedTexts.calls(text) }

    mutating func adoptOpenings(_ counts: FailureCounts) { openings = counts }
}
