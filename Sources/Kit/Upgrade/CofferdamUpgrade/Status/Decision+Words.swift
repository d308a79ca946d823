import Cofferdam
import CofferdamGate
import CofferdamSupport

extension Decision {
    /// Why the gate decided so, for people on call: "23 of 28 users had a failure on V2, all in `get`". The numbers with their
    /// thresholds are in ``explanation``.
    package var inWords: String {
        guard let reason = reasons.first else { return verdict.rawValue }
        let words: String? =
            switch reason.code {
            case .alarm: alarms?.first { $0.isReached }?.headline
            case .breakerTripped: reading.breaker?.inWords
            case .testReached:
                tests.first { $0.role == .rollBack && $0.isReached && $0.metric == reason.metric }.flatMap(words)
            case .allReached: "Enough is known\(counted)\(seenFrom)"
            case .horizonPassed, .tooOld: "Undecided after \(ShownTime.span(seconds: Int64(reading.seconds)))\(counted)"
            case .unitsNotKept:
                "Enough is known, but users count again after a restart, so a person must confirm\(counted)"
            default: nil
            }
        return words ?? reason.description
    }

    /// ": 4 of 6,031 users had a failure on V2"; empty if nothing was counted.
    private var counted: String {
        guard let all = reading.metrics[gate.countedMetric.includingOpenWindows], all.total > 0 else { return "" }
        return ": \(all.users) \(gate.stage.comparesAnswers ? "got another answer from V2" : "had a failure on V2")"
    }

    private var seenFrom: String { reading.hours?.partOfDay.map { "; V2 was seen from \($0) UTC only" } ?? "" }

    /// What a rollback's test found; nil if an older record lacks V2's own users.
    private func words(_ test: TestResult) -> String? {
        let (what, isShare) = test.metric.found
        // A share is of all users to whom it happened; the floor has those of the side that has more than its share.
        guard let counts = test.floor?.counts ?? (isShare ? nil : test.counts) else { return nil }
        let side =
            test.floor.map { $0.counts.failures == test.counts.failures ? Side.candidate : .legacy } ?? .candidate
        return "\(counts.users) \(what) \(side.version)\(test.metric.isPaired ? " alone" : "")\(place(of: test.metric))"
    }

    /// ", all in `get`", if most of what happened did so in one operation; empty otherwise.
    private func place(of metric: Metric) -> String {
        if let operation = metric.operation { return " in `\(operation)`" }
        guard metric.isLike(.comparison, .mismatches, .candidateFailures, .canaryFailures) else { return "" }
        // Of a canary's failures, those are V2's own.
        let counted = (metric.isLike(.canaryFailures) ? .candidateFailures : metric).includingOpenWindows
        guard let all = reading.metrics[counted]?.failures else { return "" }
        let places = reading.metrics.compactMap { metric, counts in
            metric.whole == counted ? metric.operation.map { (name: $0, failures: counts.failures) } : nil
        }
        guard let most = places.max(by: { ($0.failures, $1.name) < ($1.failures, $0.name) }), most.failures * 2 > all
        else { return "" }
        return most.failures >= all ? ", all in `\(most.name)`" : ", most in `\(most.name)`"
    }
}

extension Metric {
    /// What happened to the users that it counts as failures, up to the name of the side, and whether its total is only those to
    /// whom it happened.
    fileprivate var found: (what: String, isShare: Bool) {
        if let kindOfAnswer, forFirstBuild != nil || isCandidateAnswer {
            return ("got `\(kindOfAnswer)` from", forFirstBuild != nil)
        }
        if isLike(.comparison, .mismatches) { return ("got another answer from", false) }
        if isLike(.candidateFailures) { return ("had a failure on", false) }
        if isLike(.canaryFailures, .pairedFailures) { return ("had a failure on", true) }
        if isLike(.canarySlow, .pairedSlow) { return ("had a slow call on", true) }
        if isLike(.canaryGaveUp) { return ("gave up waiting on", true) }
        if isLike(.gaveUp) { return ("gave up waiting on", false) }
        // The app's own.
        return ("count in `\(whole.rawValue.replacing("+open", with: ""))` against", false)
    }

    /// Whether it is one of those metrics, of whichever operation, with open windows or without.
    fileprivate func isLike(_ metrics: Metric...) -> Bool {
        metrics.contains { $0.includingOpenWindows == whole.includingOpenWindows }
    }

    fileprivate var isPaired: Bool { [.pairedFailures, .pairedSlow].contains(whole) }
}

extension FailureCounts {
    /// "23 of 28 users".
    fileprivate var users: String {
        failures == 0
            ? "none of \(total.grouped) users"
            : "\(failures.grouped) of \(total.grouped) \(total == 1 ? "user" : "users")"
    }
}

extension BreakerHistory {
    fileprivate var inWords: String {
        "V2 failed so often that V1 took its calls over \(openings == 1 ? "once" : "\(openings.grouped) times"), "
            + "for up to \(ShownTime.span(seconds: Int64(longestSeconds)))"
    }
}
