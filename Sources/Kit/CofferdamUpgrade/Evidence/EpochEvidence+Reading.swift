extension EpochEvidence {
    /// The outcomes of the compared units, including those with an open window.
    var outcomes: OutcomeCounts { Self.outcomes(comparisons.counts[Self.all]?.begun ?? [:]) }

    /// The counters for the gate. The caller settles windows first.
    ///
    /// - Parameter seconds: the age of the epoch.
    func reading(
        afterSeconds seconds: Int,
        breaker: BreakerHistory? = nil,
        isKept: Bool? = nil
    ) -> GateReading {
        var metrics: [Metric: FailureCounts] = [.openings: openings]
        let counted = onOwnSide
        counted.addMetrics(at: Self.all, { $0 }, to: &metrics)
        // An operation that only named units called counts as not called.
        let called = operations.enumerated().filter { isCounted($0.offset) }
        for (place, name) in called { counted.addMetrics(at: place, { $0.of(name) }, to: &metrics) }
        // An operation that was not called yet is counted as 0, and is not missing.
        for name in baseline?.operations.keys.filter({ name in !called.contains { $0.element == name } }) ?? [] {
            counted.addMetrics(at: nil, { $0.of(name) }, to: &metrics)
        }
        addNamed(to: &metrics)
        let begun = comparisons.counts[Self.all]?.begun ?? [:]
        // A server's key has no expectations: it knows those that devices reported.
        for id in Set(key.expectations.keys).union(begun.keys.compactMap(\.expectation)) {
            let seen = begun.reduce(0) { $1.key.worst == .expected && $1.key.expectation == id ? $0 + $1.value : $0 }
            metrics[.expected(id)] = FailureCounts(seen, of: outcomes.sampled)
        }
        baseline?.add(to: &metrics)
        return GateReading(
            stage: key.stage,
            epoch: epoch,
            seconds: seconds,
            metrics: metrics,
            breaker: breaker,
            isKept: isKept,
            arms: armCounts.map { [$0] }
        )
    }

    private func isCounted(_ place: Int) -> Bool {
        comparisons.counts[place] != nil || legacy.counts[place] != nil || candidate.counts[place] != nil
    }

    /// Named units, including those with an open window. Adds nothing if there are none.
    private func addNamed(to metrics: inout [Metric: FailureCounts]) {
        guard let all = named.counts[Self.all]?.begun else { return }
        metrics[.namedFailures] = Self.failures(all)
        for (place, name) in operations.enumerated() {
            if let counts = named.counts[place] { metrics[.namedFailures.of(name)] = Self.failures(counts.begun) }
        }
        for (place, kind) in namedTexts.kinds.enumerated() {
            let count = Self.count(all) { $0.answers & 1 << UInt32(place) != 0 }
            metrics[.namedAnswers(kind)] = FailureCounts(count, of: Self.total(all))
        }
    }

    /// - Parameters:
    ///   - place: the place of the operation; nil for one that was not called.
    ///   - named: the metric of that operation.
    private func addMetrics(
        at place: Int?,
        _ named: (Metric) -> Metric,
        to metrics: inout [Metric: FailureCounts]
    ) {
        let comparisons = place.flatMap { self.comparisons.counts[$0] } ?? WindowTally<ComparisonMarks>.Counts()
        let here = place.flatMap { candidate.counts[$0] } ?? WindowTally<CallMarks>.Counts()
        let there = place.flatMap { legacy.counts[$0] } ?? WindowTally<CallMarks>.Counts()
        let isAll = place == Self.all

        func add(_ metric: Metric, _ settled: FailureCounts, _ begun: FailureCounts) {
            // A failure in an open window counts at once, because it stays one.
            let open = begun.failures - settled.failures
            metrics[named(metric)] = FailureCounts(begun.failures, of: settled.total + open)
            metrics[named(metric).includingOpenWindows] = begun
        }
        // For a single operation, an agreed difference counts as correct, because an operation that always differs as
        // agreed would otherwise never count. For all operations together, agreed differences do not count.
        func verdicts(_ counts: [ComparisonMarks: Int]) -> FailureCounts {
            let outcomes = Self.outcomes(counts)
            return outcomes.verdicts + FailureCounts(0, of: isAll ? 0 : outcomes[.expected])
        }
        add(.comparison, verdicts(comparisons.settled), verdicts(comparisons.begun))
        add(.mismatches, Self.mismatches(comparisons.settled), Self.mismatches(comparisons.begun))
        add(.candidateFailures, Self.failures(here.settled), Self.failures(here.begun))

        // If processes crashed before they answered any unit, there is at least one.
        let (seenHere, seenThere) = (Self.seen(here.begun), Self.seen(there.begun))
        let active = isAll ? max(seenHere, min(1, Self.total(here.begun))) : seenHere
        metrics[named(.activeUnits)] = FailureCounts(active, of: active + seenThere)
        func addArms(_ metric: Metric, _ isMet: (CallMarks) -> Bool) {
            let (one, other) = (Self.count(here.begun, isMet), Self.count(there.begun, isMet))
            metrics[named(metric)] = FailureCounts(one, of: one + other)
        }
        addArms(.canaryFailures) { $0.marks.contains(.failed) }
        guard isAll else { return }
        addAnswers(here.begun, there.begun, active, to: &metrics)

        let begun = Self.outcomes(comparisons.begun)
        metrics[.uncounted] = begun.uncounted
        metrics[.noise] = begun.noise
        metrics[.pairedFailures] = begun.pairedFailures
        // Without a baseline the slow limit is unknown, so these metrics are missing rather than zero.
        guard baseline != nil else { return }
        addArms(.canarySlow) { $0.marks.contains(.slow) }
        addArms(.canaryGaveUp) { $0.marks.contains(.gaveUp) }
        metrics[.slow] = FailureCounts(Self.count(here.begun) { $0.marks.contains(.slow) }, of: active)
        metrics[.gaveUp] = FailureCounts(Self.count(here.begun) { $0.marks.contains(.gaveUp) }, of: active)
        let slow = Self.count(comparisons.begun) { $0.slow == .candidate }
        metrics[.pairedSlow] = FailureCounts(slow, of: slow + Self.count(comparisons.begun) { $0.slow == .legacy })
    }

    private func addAnswers(
        _ here: [CallMarks: Int],
        _ there: [CallMarks: Int],
        _ active: Int,
        to metrics: inout [Metric: FailureCounts]
    ) {
        for (place, kind) in texts.kinds.enumerated() {
            let bit: UInt32 = 1 << UInt32(place)
            let (one, other) = (
                Self.count(here) { $0.answers & bit != 0 }, Self.count(there) { $0.answers & bit != 0 }
            )
            metrics[.canaryAnswers(kind)] = FailureCounts(one, of: one + other)
            metrics[.candidateAnswers(kind)] = FailureCounts(one, of: max(one, active))
        }
    }

    // MARK: Sums

    /// Each unit with its worst outcome.
    private static func outcomes(_ counts: [ComparisonMarks: Int]) -> OutcomeCounts {
        var outcomes = OutcomeCounts()
        for (marks, count) in counts { outcomes[marks.worst] += count }
        return outcomes
    }

    /// Units that got different answers, of those that got answers from both sides.
    private static func mismatches(_ counts: [ComparisonMarks: Int]) -> FailureCounts {
        let different = count(counts) { $0.has(.mismatch) || $0.has(.bothFailedUnlike) }
        let alike = count(counts) { $0.has(.match) && !$0.has(.mismatch) && !$0.has(.bothFailedUnlike) }
        return FailureCounts(different, of: different + alike)
    }

    static func failures(_ counts: [CallMarks: Int]) -> FailureCounts {
        FailureCounts(count(counts) { $0.marks.contains(.failed) }, of: total(counts))
    }

    private static func seen(_ counts: [CallMarks: Int]) -> Int { count(counts) { !$0.marks.contains(.unseen) } }

    private static func total(_ counts: [some Hashable: Int]) -> Int { counts.values.reduce(0, +) }

    private static func count<Outcome>(_ counts: [Outcome: Int], _ isMet: (Outcome) -> Bool) -> Int {
        counts.reduce(0) { isMet($1.key) ? $0 + $1.value : $0 }
    }
}

extension EpochEvidence {
    /// The baseline of the legacy side in this epoch. Open windows count as they are.
    ///
    /// - Parameter limits: the slow limits, by operation.
    func baseline(_ limits: [String: Duration]) -> LegacyBaseline {
        var operations: [String: LegacyBaseline.Operation] = [:]
        for (place, name) in self.operations.enumerated() {
            guard let counts = legacy.counts[place], let limit = limits[name] else { continue }
            operations[name] = LegacyBaseline.Operation(
                units: Self.failures(counts.begun),
                isRead: reads.contains(name),
                slowNanoseconds: limit.wholeNanoseconds
            )
        }
        let all = legacy.counts[Self.all]?.begun ?? [:]
        var answers: [String: Int] = [:]
        for (place, kind) in texts.kinds.enumerated() {
            let count = Self.count(all) { $0.answers & 1 << UInt32(place) != 0 }
            if count > 0 { answers[kind] = count }
        }
        let gaveUp = Self.count(all) { $0.marks.contains(.gaveUp) }
        return LegacyBaseline(units: Self.failures(all), operations: operations, answers: answers, gaveUp: gaveUp)
    }
}
