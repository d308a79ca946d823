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
        let unwritten = metrics.subtracting(written).map(\.rawValue).sorted()
        guard let first = unwritten.first else { return }
        let known = written.map(\.rawValue).sorted().joined(separator: ", ")
        throw GateError(
            .unwrittenMetric,
            "the gate of \(stage) reads \(unwritten.joined(separator: ", ")), which nobody writes; written: \(known)",
            subject: first
        )
    }
}
