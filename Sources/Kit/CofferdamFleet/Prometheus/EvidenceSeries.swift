import CofferdamUpgrade

/// The names of the series, and of the verdicts in them.
enum EvidenceSeries {
    /// What the gate reads: of each metric its failures and its total.
    static let metrics = "cofferdam_upgrade_units_total"
    /// How compared units came out, for people.
    static let outcomes = "cofferdam_upgrade_outcomes_total"
    static let breaker = "cofferdam_upgrade_breaker_total"
    /// When a process has written its counters last, in seconds since 1970.
    static let lastWrite = "cofferdam_upgrade_last_write_timestamp_seconds"
    /// Single calls, by their operations, for people.
    static let calls = "cofferdam_upgrade_calls_total"

    static let openings = "openings"
    static let closings = "closings"
    static let longestSeconds = "longestSeconds"

    static func failures(of metric: Metric) -> String { metric.rawValue + failuresSuffix }
    static func total(of metric: Metric) -> String { metric.rawValue + totalSuffix }

    /// Reads what ``failures(of:)`` and ``total(of:)`` have written.
    static func metric(_ verdict: String) -> (metric: Metric, isTotal: Bool)? {
        for (suffix, isTotal) in [(failuresSuffix, false), (totalSuffix, true)] where verdict.hasSuffix(suffix) {
            return (Metric(String(verdict.dropLast(suffix.count))), isTotal)
        }
        return nil
    }

    private static let failuresSuffix = ":failures"
    private static let totalSuffix = ":total"
}
