import Cofferdam

/// Detects what begins to fail after units were counted: it looks at each hour's visits and can only send the upgrade
/// back. See the article "Operating an upgrade" of `CofferdamUpgrade`.
///
/// A trial is a unit that calls a side in an hour and did not meet the same in its visit before. The alarm rings if the
/// candidate's trials show a rate above the limit and, where both sides answer, if they do so in comparison with the
/// legacy side's of the same hours too: what befalls both sides is not the candidate's.
package struct GateAlarm: Sendable, Hashable, Codable {
    package var kind: VisitCounts.Kind
    /// Nil for all together.
    package var operation: String?
    /// The rate above which it rings.
    package var limit: GateTest.Level
    /// Whether the legacy side answers at the same time.
    package var isCompared: Bool
    /// 1/α is the least mean number of hours until a false alarm.
    package var alpha: Double

    /// The years until a false alarm, in the mean, of all alarms of a gate together.
    package static let years = 10.0
    private static let hoursOfYear = 8_766.0

    /// - Parameter alarms: without their α.
    static func sharing(_ alarms: [GateAlarm]) -> [GateAlarm] {
        alarms.map { alarm in
            var alarm = alarm
            alarm.alpha = 1 / (years * hoursOfYear * Double(alarms.count))
            return alarm
        }
    }

    func metric(of side: Side) -> Metric {
        let metric = Metric.newly(kind, on: side)
        return operation.map(metric.of) ?? metric
    }

    /// - Parameter limit: the rate, above 0 and below 1.
    /// - Returns: nil if no unit visited the candidate.
    func result(of hours: [VisitCounts], limit: Double) -> Decision.AlarmResult? {
        let (here, there) = (metric(of: .candidate), metric(of: .legacy))
        let candidate = hours.map { $0.metrics[here] ?? .none }
        let own = ChangeDetector.result(of: candidate.map { ChangeDetector.Period($0, expected: limit) })
        guard own.value > -.infinity else { return nil }
        let legacy = isCompared ? hours.map { $0.metrics[there] ?? .none } : []
        var compared: ChangeDetector.Result?
        // The lower one of both counts, so the second is only asked if the first would ring.
        if own.value >= -ln(alpha), legacy.contains(where: { $0.total > 0 }) {
            compared = ChangeDetector.result(
                of: zip(candidate, legacy).map { here, there in
                    let share = Double(here.total) / Double(max(1, here.total + there.total))
                    let failures = FailureCounts(here.failures, of: here.failures + there.failures)
                    return ChangeDetector.Period(failures, expected: share)
                }
            )
        }
        let value = min(own.value, compared?.value ?? own.value)
        return Decision.AlarmResult(
            kind: kind,
            operation: operation,
            since: hours[own.start].hour,
            candidate: candidate.dropFirst(own.start).reduce(.none, +),
            legacy: isCompared ? legacy.dropFirst(own.start).reduce(.none, +) : nil,
            limit: limit,
            value: max(value, -.greatestFiniteMagnitude),
            threshold: -ln(alpha),
            isReached: value >= -ln(alpha)
        )
    }
}

extension Decision {
    /// An alarm with its counts since the hour in which the rise most probably began, and the result.
    package struct AlarmResult: Sendable, Hashable, Codable {
        package var kind: VisitCounts.Kind
        package var operation: String?
        /// The hour since 1970.
        package var since: Int64
        package var candidate: FailureCounts
        /// Nil if the legacy side answers no unit at this stage.
        package var legacy: FailureCounts?
        package var limit: Double
        /// The natural logarithm of the evidence, the lower one of both conditions.
        package var value: Double
        /// ln(1/α).
        package var threshold: Double
        package var isReached: Bool
    }
}

extension Decision.AlarmResult {
    /// For a reason: "since 2026-11-28T14:00:00Z, 37 of 52 units newly failed on the candidate, 0 of 40 on the legacy
    /// side".
    var message: String {
        let what =
            switch kind {
            case .failed: "failed"
            case .slow: "had a slow call"
            case .gaveUp: "gave up waiting"
            }
        let there = legacy.map { ", \($0) on the legacy side" } ?? ""
        return "since \(sinceText), \(candidate) units newly \(what) on the candidate\(there); the limit is "
            + "\(limit.shownAsRate): ln M \(value.shown(3)) of \(threshold.shown(3))"
    }

    /// For the first line of a status: "V2 began to fail in place at 2026-11-28 14:00 UTC: for 37 of 52 users since; on V1
    /// for 0 of 40".
    package var headline: String {
        let what =
            switch kind {
            case .failed: "to fail"
            case .slow: "to be slow"
            case .gaveUp: "to keep users waiting until they gave up"
            }
        let place = operation.map { " in \($0)" } ?? ""
        let there = legacy.map { "; on V1 for \($0)" } ?? ""
        let since = sinceText.replacing("T", with: " ").prefix(16)
        return "V2 began \(what)\(place) at \(since) UTC: for \(candidate) users since\(there)"
    }

    var sinceText: String { ShownTime.date(millisecondsSince1970: since * VisitHour.milliseconds) }

    /// For a table: "failed, search".
    var name: String { operation.map { "\(kind.rawValue), \($0)" } ?? kind.rawValue }

    func agrees(with other: Self, _ tolerance: Double) -> Bool {
        kind == other.kind && operation == other.operation && since == other.since && candidate == other.candidate
            && legacy == other.legacy && isReached == other.isReached
            && (value == other.value || abs(value - other.value) <= tolerance)
            && abs(threshold - other.threshold) <= tolerance
    }
}
