/// How far one operation has come at a stage, by whole numbers.
package struct DecidedOperation: Sendable, Hashable, Codable {
    /// Nil for all operations together.
    package var name: String?
    package var judgement: Judgement
    /// The failing units and all, of those whose window has ended.
    package var settled: FailureCounts
    /// The failing units and all, with those whose window is still open.
    package var begun: FailureCounts
    /// How many more units it needs for a promotion, if none of them fails; 0 if it has enough, nil where no number is enough or no
    /// promotion waits for it.
    package var missing: Int?
    /// In how many seconds they will be there, if units go on coming as they have come in this epoch; nil while none has come.
    package var secondsLeft: Int?

    package enum Judgement: String, Sendable, Hashable, Codable {
        /// By a test for a promotion and one for a rollback.
        case fully
        /// By its failures alone, which hold a promotion or roll back: too few call it for a promotion to wait for it.
        case rollbackOnly
        /// By no test of its own at this stage: it is called, and stands in what all operations show.
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
                test.role == .promote && test.metric.operation == name && !test.rule.isOfFailuresAlone
            }
            var operation = DecidedOperation(
                name: name,
                judgement: .notJudged,
                settled: reading.metrics[metric] ?? .none,
                begun: reading.metrics[metric.withOpen] ?? .none
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
        guard case .mixture(let limit) = test.rule, test.counts.isPossible else { return }
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
