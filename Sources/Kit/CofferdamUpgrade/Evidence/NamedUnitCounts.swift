/// What the candidate did for named units: shown, and in no test.
package struct NamedUnitCounts: Sendable, Hashable, Encodable {
    /// How many of them have asked it.
    package var seen: Int
    /// How many it has failed.
    package var failed: Int
    /// How many it has failed at each operation, by their names; those without a failure are not there.
    package var failedAt: [String: Int] = [:]
    /// How many got each kind of error that is an answer.
    package var answers: [String: Int] = [:]

    /// Nil where no named unit was counted.
    package init?(_ metrics: [Metric: FailureCounts]) {
        guard let all = metrics[.namedFailures], all.total > 0 else { return nil }
        (seen, failed) = (all.total, all.failures)
        for (metric, counts) in metrics where counts.failures > 0 {
            if metric.whole == .namedFailures, let operation = metric.operation {
                failedAt[operation] = counts.failures
            } else if let kind = metric.kindOfNamedAnswer {
                answers[kind] = counts.failures
            }
        }
    }

    /// "12 seen, 3 failed at placeOrder": for people.
    package var text: String {
        var text = "\(seen) seen, \(failed) failed"
        let places = Self.most(failedAt)
        if let only = places.first, places.count == 1, only.value == failed {
            text += " at \(only.key)"
        } else if !places.isEmpty {
            text += " (\(places.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))"
        }
        let kinds = Self.most(answers)
        if !kinds.isEmpty { text += "; answers: \(kinds.map { "\($0.key) \($0.value)" }.joined(separator: ", "))" }
        return text
    }

    /// The most first.
    private static func most(_ counts: [String: Int]) -> [(key: String, value: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }
}
