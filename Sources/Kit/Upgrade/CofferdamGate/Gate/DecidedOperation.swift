/// The progress of one operation at a stage, in whole numbers.
package struct DecidedOperation: Sendable, Hashable, Codable {
    /// Nil for all operations together.
    package var name: String?
    package var judgement: Judgement
    /// Failures and total of the units whose window has ended.
    package var settled: FailureCounts
    /// Failures and total of all units, including those whose window is still open.
    package var begun: FailureCounts
    /// The number of further units without a failure that a promotion needs; 0 if there are enough, nil if no number is
    /// enough or no promotion waits for the operation.
    package var missing: Int?
    /// The estimated seconds until those units have come, at the rate of this epoch so far; nil while none has come.
    package var secondsLeft: Int?

    package enum Judgement: String, Sendable, Hashable, Codable {
        /// By a promotion test and a rollback test.
        case fully
        /// Only by its failures, which can hold a promotion or roll back. Too few units call it for a promotion to wait
        /// for it.
        case rollbackOnly
        /// By no separate test at this stage: its calls count only among all operations together.
        case notJudged
        /// It is not called.
        case notCalled
    }

    static func all(_ gate: Gate, _ reading: GateReading, _ tests: [Decision.TestResult]) -> [DecidedOperation] {
        let metric = gate.countedMetric
        var judged: [String: JudgedOperation] = [:]
        for operation in gate.operations ?? [] { judged[operation.name] = operation }
        let called = reading.metrics.keys.filter { $0.whole == metric }.compactMap(\.operation)
        let names = Set(judged.keys).union(called).sorted()
        let all: [String?] = [nil] + names
        return all.map { name in
            let metric = name.map(metric.of) ?? metric
            let promotion = tests.first { test in
                test.role == .promote && test.metric.operation == name && !test.rule.countsOnlyFailures
            }
            var operation = DecidedOperation(
                name: name,
                judgement: .notJudged,
                settled: reading.metrics[metric] ?? .none,
                begun: reading.metrics[metric.includingOpenWindows] ?? .none
            )
            if operation.begun.total == 0 {
                operation.judgement = .notCalled
            } else if name == nil || promotion != nil {
                operation.judgement = .fully
            } else if let name, let known = judged[name], tests.contains(where: { $0.metric.operation == name }) {
                operation.judgement = known.judgement == .fully ? .fully : .rollbackOnly
            }
            if let promotion { operation.look(at: promotion, within: reading.seconds) }
            return operation
        }
    }

    private mutating func look(at test: Decision.TestResult, within seconds: Int) {
        guard !test.isReached else { return (missing, secondsLeft) = (0, 0) }
        guard case .mixture(let limit) = test.rule, test.counts.isPossible, test.limitPassed == nil else { return }
        let alpha = exponential(-test.threshold)
        let needed = SampleSizes.toPromote(failures: test.counts.failures, limit: limit, alpha: alpha)
        guard let needed else { return }
        let missing = max(1, needed - test.counts.total)
        self.missing = missing
        guard test.counts.total > 0 else { return }
        let left = Double(missing) / Double(test.counts.total) * Double(max(1, seconds))
        secondsLeft = Int(min(left.rounded(.up), 1e12))
    }
}
