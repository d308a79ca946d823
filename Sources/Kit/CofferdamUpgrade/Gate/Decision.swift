/// What a gate decided, with all that it was decided from: anybody can compute it again.
public struct Decision: Sendable, Hashable, Codable {
    public var gate: Gate
    public var reading: GateReading
    public var verdict: GateVerdict
    /// What led to the verdict, the weightiest first; never empty.
    public var reasons: [GateReason]
    /// Each test that could be computed, in the gate's order.
    public var tests: [TestResult]
    public var ceilings: [CeilingResult]
    /// How far all operations together and each by itself have come; nil in a record of before they were judged.
    public var operations: [DecidedOperation]?

    /// A test with its whole numbers, the rule as it was with what was measured, and what came out.
    public struct TestResult: Sendable, Hashable, Codable {
        public var metric: Metric
        public var role: GateTest.Role
        public var rule: SequentialRule
        public var counts: FailureCounts
        /// The natural logarithm of the evidence.
        public var value: Double
        /// ln(1/α).
        public var threshold: Double
        /// Whether the evidence is enough, and its floor's too.
        public var isReached: Bool
        /// What had to be shown as well; nil for nothing, and in a record of before it had.
        public var floor: Floor?

        /// ``GateTest/Floor`` with its whole numbers, and what came out; it is held against the same threshold.
        public struct Floor: Sendable, Hashable, Codable {
            public var rule: SequentialRule
            public var counts: FailureCounts
            public var value: Double
        }
    }

    /// A ceiling with its whole numbers, and what came out.
    public struct CeilingResult: Sendable, Hashable, Codable {
        public var metric: Metric
        public var counts: FailureCounts
        /// The share that is held against the limit: observed, or its upper bound.
        public var value: Double
        public var limit: Double
        public var isExceeded: Bool
    }
}

extension Decision.TestResult {
    /// How far it is: the evidence that has the longest way to go.
    package var weakest: Double { min(value, floor?.value ?? value) }
}

extension Decision {
    /// Computes everything again from the gate and the whole numbers alone.
    public func recomputed() -> Decision { gate.decide(reading) }

    /// Where the record is not what its own whole numbers give; empty for a true one.
    ///
    /// - Parameter tolerance: for values, which another system's logarithm may give with other last digits.
    public func contradictions(tolerance: Double = 1e-6) -> [String] {
        let again = recomputed()
        var found: [String] = []
        if verdict != again.verdict {
            found.append("the verdict is \(verdict.rawValue), computed \(again.verdict.rawValue)")
        }
        if reasons.map(\.code) != again.reasons.map(\.code) { found.append("the reasons are others") }
        if tests.count != again.tests.count { found.append("\(tests.count) tests, computed \(again.tests.count)") }
        for (test, other) in zip(tests, again.tests) where !test.agrees(with: other, tolerance) {
            found.append(
                "\(test.metric): \(test.value) against \(test.threshold), computed \(other.value) against \(other.threshold)"
            )
        }
        if ceilings.count != again.ceilings.count {
            found.append("\(ceilings.count) ceilings, computed \(again.ceilings.count)")
        }
        for (ceiling, other) in zip(ceilings, again.ceilings) where !ceiling.agrees(with: other, tolerance) {
            found.append("\(ceiling.metric): \(ceiling.value), computed \(other.value)")
        }
        return found
    }
}

extension Decision.TestResult {
    fileprivate func agrees(with other: Self, _ tolerance: Double) -> Bool {
        metric == other.metric && role == other.role && counts == other.counts && isReached == other.isReached
            && abs(value - other.value) <= tolerance && abs(threshold - other.threshold) <= tolerance
            && floor?.counts == other.floor?.counts
            && abs((floor?.value ?? 0) - (other.floor?.value ?? 0)) <= tolerance
    }
}

extension Decision.CeilingResult {
    fileprivate func agrees(with other: Self, _ tolerance: Double) -> Bool {
        metric == other.metric && counts == other.counts && isExceeded == other.isExceeded && limit == other.limit
            && abs(value - other.value) <= tolerance
    }
}
