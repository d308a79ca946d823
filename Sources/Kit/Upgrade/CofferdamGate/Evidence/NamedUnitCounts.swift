/// The results of named units on the candidate: shown, and part of no test.
package struct NamedUnitCounts: Sendable, Hashable, Codable {
    /// The number of named units that called it.
    package var seen: Int
    /// The number of named units that it failed.
    package var failed: Int
    /// The number of failures by operation; without operations that did not fail.
    package var failedAt: [String: Int] = [:]
    /// The number of units by kind of answer.
    package var answers: [String: Int] = [:]

    /// Nil if no named unit was counted.
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
        let places = Self.byCount(failedAt)
        if let only = places.first, places.count == 1, only.value == failed {
            text += " at \(only.key)"
        } else if !places.isEmpty {
            text += " (\(places.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))"
        }
        let kinds = Self.byCount(answers)
        if !kinds.isEmpty { text += "; answers: \(kinds.map { "\($0.key) \($0.value)" }.joined(separator: ", "))" }
        return text
    }

    /// Sorted by count, highest first.
    private static func byCount(_ counts: [String: Int]) -> [(key: String, value: Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    }
}
