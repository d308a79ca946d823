/// What must be shown before the stage after one may begin. Pure: the same reading gives the same decision, whoever asks, as
/// often as they like.
public struct Gate: Sendable, Hashable, Codable {
    public var stage: Stage
    public var tests: [GateTest]
    public var ceilings: [GateCeiling]
    /// Whether a breaker that nobody reads is a reason to hold.
    public var needsBreaker: Bool
    public var horizon: Int
    public var longestSeconds: Int
    public var fewestForBaseline: Int
    /// The operations that it judges by themselves; nil in a record of before they were.
    public var operations: [JudgedOperation]?

    /// All that the gate reads.
    public var metrics: Set<Metric> {
        tests.reduce(into: Set(ceilings.map(\.metric))) { $0.formUnion($1.metrics) }
    }

    /// - Throws: ``GateError`` with `unwrittenMetric` if the gate reads a metric that nobody writes: it could hold for ever,
    ///   or worse, be taken for content.
    public func check(written: Set<Metric>) throws(GateError) {
        // Who writes a metric writes it of each operation too.
        let unwritten = metrics.filter { !written.contains($0) && !written.contains($0.whole) }.map(\.rawValue).sorted()
        guard let first = unwritten.first else { return }
        let known = written.map(\.rawValue).sorted().joined(separator: ", ")
        throw GateError(
            .unwrittenMetric,
            "the gate of \(stage) reads \(unwritten.joined(separator: ", ")), which nobody writes; written: \(known)",
            subject: first
        )
    }
}

extension Gate {
    /// Whether both come from one plan, whatever the legacy side was known to do by then: the operations that it did, and how α is
    /// shared among their tests, are set aside.
    package func isOfOnePlan(with other: Gate) -> Bool { withoutBaseline == other.withoutBaseline }

    private var withoutBaseline: Gate {
        var gate = self
        gate.operations = nil
        // Giving up is tested where the baseline has it.
        gate.tests = tests.filter { $0.metric.operation == nil && $0.metric != .gaveUp }.map { test in
            var test = test
            // A promotion's α is its plan's own.
            if test.role != .promote { test.alpha = 0 }
            return test
        }
        return gate
    }
}
