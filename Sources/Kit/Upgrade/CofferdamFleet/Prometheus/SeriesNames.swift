#if Fleet
import CofferdamUpgrade

/// The names of the series and their verdicts.
enum SeriesNames {
    /// The failures and the total of each metric, which the gate reads.
    static let metrics = "cofferdam_upgrade_units_total"
    /// What visits newly met since the process began, for the alarm; the boot is always that of the process.
    static let visits = "cofferdam_upgrade_visits_total"
    /// The counts of a build with one side, for people: of all units and of each operation's callers.
    static let arms = "cofferdam_upgrade_arm_units_total"
    /// The outcomes of compared units, for people.
    static let outcomes = "cofferdam_upgrade_outcomes_total"
    static let breaker = "cofferdam_upgrade_breaker_total"
    /// When a process last wrote its counters, in seconds since 1970.
    static let lastWrite = "cofferdam_upgrade_last_write_timestamp_seconds"
    /// 1 if a process continues its predecessor's counts, so that a unit counts once; otherwise 0.
    static let kept = "cofferdam_upgrade_units_kept"
    /// How many calls of the legacy side were timed at `legacyOnly`.
    static let timed = "cofferdam_upgrade_legacy_timed_total"
    /// How many calls of the legacy side took as long as the label `nanoseconds` says: see
    /// ``LatencyHistogram``.
    static let durations = "cofferdam_upgrade_legacy_durations"
    /// 1 for an operation that is a read, otherwise 0.
    static let reads = "cofferdam_upgrade_legacy_reads"
    /// The label `operation` of counts of all operations together.
    static let allOperations = "*"

    /// The verdict of ``timed``.
    static let timedCalls = "timed"
    static let openings = "openings"
    static let closings = "closings"
    static let longestSeconds = "longestSeconds"

    /// In ``arms``: the units; and, as a total, those whose window has ended.
    static let armUnits = Metric("units")
    static let armSettled = Metric("settled")

    static func failures(of metric: Metric) -> String { metric.rawValue + failuresSuffix }
    static func total(of metric: Metric) -> String { metric.rawValue + totalSuffix }

    /// A verdict and the label of its operation as one string, like ``failures(of:)`` of the operation's metric.
    static func verdict(_ verdict: String, of operation: String?) -> String {
        guard let operation, operation != allOperations else { return verdict }
        for suffix in [failuresSuffix, totalSuffix] where verdict.hasSuffix(suffix) {
            return Metric(String(verdict.dropLast(suffix.count))).of(operation).rawValue + suffix
        }
        return verdict
    }

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
#endif
