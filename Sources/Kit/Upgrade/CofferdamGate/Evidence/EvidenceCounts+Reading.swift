import Cofferdam

extension EvidenceCounts {
    /// The outcomes of the compared units, including those with an open window.
    package var outcomes: OutcomeCounts { Self.outcomes(all(.comparisons)) }

    /// All units of a tally, including those with an open window.
    private func all(_ tally: EvidenceTally) -> [Marks: Int] { units[tally, EvidenceNames.all]?.begun ?? [:] }

    /// The counts as a gate reads them.
    ///
    /// - Parameters:
    ///   - baseline: that of the legacy side from before this epoch, if known.
    ///   - seconds: the age of the epoch.
    package func reading(
        against baseline: LegacyBaseline?,
        afterSeconds seconds: Int,
        breaker: BreakerHistory? = nil,
        isKept: Bool? = nil
    ) -> GateReading {
        var metrics: [Metric: FailureCounts] = [.openings: openings]
        let counted = onOwnSide
        counted.addMetrics(at: EvidenceNames.all, baseline, { $0 }, to: &metrics)
        // An operation that only named units called counts as not called.
        let called = operations.enumerated().filter { isCounted(UInt8($0.offset)) }
        for (place, name) in called { counted.addMetrics(at: UInt8(place), baseline, { $0.of(name) }, to: &metrics) }
        // An operation that was not called yet is counted as 0, and is not missing.
        for name in baseline?.operations.keys.filter({ name in !called.contains { $0.element == name } }) ?? [] {
            counted.addMetrics(at: nil, baseline, { $0.of(name) }, to: &metrics)
        }
        addNamed(to: &metrics)
        let begun = all(.comparisons)
        func id(_ marks: Marks) -> String? {
            marks.expectation.flatMap { names.expectations.indices.contains($0) ? names.expectations[$0] : nil }
        }
        // A server's key has no expectations: it knows those that devices reported.
        for expected in Set(key.expectations.keys).union(begun.keys.compactMap(id)) {
            let seen = begun.reduce(0) { $1.key.worst == .expected && id($1.key) == expected ? $0 + $1.value : $0 }
            metrics[.expected(expected)] = FailureCounts(seen, of: outcomes.sampled)
        }
        baseline?.add(to: &metrics)
        var reading = GateReading(
            stage: key.stage,
            epoch: epoch,
            seconds: seconds,
            metrics: metrics,
            breaker: breaker,
            isKept: isKept,
            arms: armCounts.map { [$0] }
        )
        reading.hours = hours
        return reading
    }

    /// What visits met, by hour.
    private var hours: [VisitCounts]? {
        guard key.stage != .aa, !units.visits.isEmpty else { return nil }
        return units.visits.sorted { $0.key < $1.key }.suffix(Int(VisitHour.count)).map { hour, cells in
            var metrics: [Metric: FailureCounts] = [:]
            for (cell, counts) in cells {
                let side = cell.tally == .legacyVisits ? Side.legacy : .candidate
                // Only failures are judged for single operations.
                for kind in VisitCounts.Kind.allCases where kind == .failed || cell.operation == EvidenceNames.all {
                    let metric = Metric.newly(kind, on: side)
                    let named = names.operation(at: cell.operation).map(metric.of) ?? metric
                    metrics[named] = Self.newly(kind, counts)
                }
                guard cell.operation == EvidenceNames.all else { continue }
                let returned = Self.count(counts) { $0.contains(.returned) }
                metrics[.returning(on: side)] = FailureCounts(returned, of: Self.total(counts))
            }
            return VisitCounts(hour: hour, metrics)
        }
    }

    private static func newly(_ kind: VisitCounts.Kind, _ counts: [Marks: Int]) -> FailureCounts {
        let (met, before) =
            switch kind {
            case .failed: (Marks.failed, Marks.before.failed)
            case .slow: (Marks.slow, Marks.before.slow)
            case .gaveUp: (Marks.gaveUp, Marks.before.gaveUp)
            }
        return FailureCounts(
            count(counts) { $0.contains(met) && !$0.contains(before) },
            of: count(counts) { !$0.contains(before) }
        )
    }

    private func isCounted(_ place: UInt8) -> Bool {
        [EvidenceTally.comparisons, .legacy, .candidate].contains { units[$0, place] != nil }
    }

    /// Named units, including those with an open window. Adds nothing if there are none.
    private func addNamed(to metrics: inout [Metric: FailureCounts]) {
        guard let all = units[.named, EvidenceNames.all]?.begun else { return }
        metrics[.namedFailures] = Self.failures(all)
        for (place, name) in operations.enumerated() {
            guard let counts = units[.named, UInt8(place)] else { continue }
            metrics[.namedFailures.of(name)] = Self.failures(counts.begun)
        }
        for (place, kind) in names.namedAnswers.enumerated() {
            let count = Self.count(all) { $0.contains(.answer(place)) }
            metrics[.namedAnswers(kind)] = FailureCounts(count, of: Self.total(all))
        }
    }

    /// - Parameters:
    ///   - place: the place of the operation; nil for one that was not called.
    ///   - named: the metric of that operation.
    private func addMetrics(
        at place: UInt8?,
        _ baseline: LegacyBaseline?,
        _ named: (Metric) -> Metric,
        to metrics: inout [Metric: FailureCounts]
    ) {
        let comparisons = place.flatMap { units[.comparisons, $0] } ?? UnitCounts.Counts()
        let here = place.flatMap { units[.candidate, $0] } ?? UnitCounts.Counts()
        let there = place.flatMap { units[.legacy, $0] } ?? UnitCounts.Counts()
        let isAll = place == EvidenceNames.all

        func add(_ metric: Metric, _ settled: FailureCounts, _ begun: FailureCounts) {
            // A failure in an open window counts at once, because it stays one.
            let open = begun.failures - settled.failures
            metrics[named(metric)] = FailureCounts(begun.failures, of: settled.total + open)
            metrics[named(metric).includingOpenWindows] = begun
        }
        // An agreed difference counts as correct: what always differs as agreed would otherwise never count. How often it
        // occurs has a ceiling of its own.
        func verdicts(_ counts: [Marks: Int]) -> FailureCounts {
            let outcomes = Self.outcomes(counts)
            return outcomes.verdicts + FailureCounts(0, of: outcomes[.expected])
        }
        add(.comparison, verdicts(comparisons.settled), verdicts(comparisons.begun))
        add(.mismatches, Self.mismatches(comparisons.settled), Self.mismatches(comparisons.begun))
        // Of what was not seen to end nothing is known.
        let ended = here.settled.filter { !$0.key.contains(.unseen) || $0.key.contains(.failed) }
        add(.candidateFailures, Self.failures(ended), Self.failures(here.begun))

        // If processes crashed before they answered any unit, there is at least one.
        let (seenHere, seenThere) = (Self.seen(here.begun), Self.seen(there.begun))
        let active = isAll ? max(seenHere, min(1, Self.total(here.begun))) : seenHere
        metrics[named(.activeUnits)] = FailureCounts(active, of: active + seenThere)
        func addArms(_ metric: Metric, _ isMet: (Marks) -> Bool) {
            let (one, other) = (Self.count(here.begun, isMet), Self.count(there.begun, isMet))
            metrics[named(metric)] = FailureCounts(one, of: one + other)
        }
        addArms(.canaryFailures) { $0.contains(.failed) }
        guard isAll else { return }
        addArms(.canaryUnseen) { $0.contains(.unseen) && !$0.contains(.failed) }
        addAnswers(here.begun, there.begun, active, to: &metrics)
        if key.stage == .candidateWithFallback {
            let both = Self.count(here.begun) { $0.contains(.failedOnBoth) }
            metrics[.failedOnBoth] = FailureCounts(both, of: Self.total(here.begun))
        }

        let begun = Self.outcomes(comparisons.begun)
        metrics[.uncounted] = begun.uncounted
        metrics[.noise] = begun.noise
        metrics[.pairedFailures] = begun.pairedFailures
        // Without a baseline the slow limit is unknown, so these metrics are missing rather than zero.
        guard baseline != nil else { return }
        addArms(.canarySlow) { $0.contains(.slow) }
        addArms(.canaryGaveUp) { $0.contains(.gaveUp) }
        metrics[.slow] = FailureCounts(Self.count(here.begun) { $0.contains(.slow) }, of: active)
        metrics[.gaveUp] = FailureCounts(Self.count(here.begun) { $0.contains(.gaveUp) }, of: active)
        func slow(_ mark: Marks, not other: Marks) -> Int {
            Self.count(comparisons.begun) { $0.contains(mark) && !$0.contains(other) }
        }
        let slowHere = slow(.candidateSlow, not: .legacySlow)
        metrics[.pairedSlow] = FailureCounts(slowHere, of: slowHere + slow(.legacySlow, not: .candidateSlow))
    }

    private func addAnswers(
        _ here: [Marks: Int],
        _ there: [Marks: Int],
        _ active: Int,
        to metrics: inout [Metric: FailureCounts]
    ) {
        for (place, kind) in names.answers.enumerated() {
            let mark = Marks.answer(place)
            let (one, other) = (Self.count(here) { $0.contains(mark) }, Self.count(there) { $0.contains(mark) })
            metrics[.canaryAnswers(kind)] = FailureCounts(one, of: one + other)
            metrics[.candidateAnswers(kind)] = FailureCounts(one, of: max(one, active))
        }
    }

    // MARK: Sums

    /// Each unit with its worst outcome.
    private static func outcomes(_ counts: [Marks: Int]) -> OutcomeCounts {
        var outcomes = OutcomeCounts()
        for (marks, count) in counts { outcomes[marks.worst] += count }
        return outcomes
    }

    /// Units that got different answers, of those that got answers from both sides.
    private static func mismatches(_ counts: [Marks: Int]) -> FailureCounts {
        let different = count(counts) { $0.has(.mismatch) || $0.has(.bothFailedUnlike) }
        let alike = count(counts) { marks in
            (marks.has(.match) || marks.has(.expected)) && !marks.has(.mismatch) && !marks.has(.bothFailedUnlike)
        }
        return FailureCounts(different, of: different + alike)
    }

    static func failures(_ counts: [Marks: Int]) -> FailureCounts {
        // What failed on both sides says nothing about one of them.
        let apart = count(counts) { $0.contains(.failedOnBoth) && !$0.contains(.failed) }
        return FailureCounts(count(counts) { $0.contains(.failed) }, of: total(counts) - apart)
    }

    private static func seen(_ counts: [Marks: Int]) -> Int {
        count(counts) { !$0.contains(.unseen) || !$0.contains(.failed) }
    }

    private static func total(_ counts: [Marks: Int]) -> Int { counts.values.reduce(0, +) }

    private static func count(_ counts: [Marks: Int], _ isMet: (Marks) -> Bool) -> Int {
        counts.reduce(0) { isMet($1.key) ? $0 + $1.value : $0 }
    }
}

// MARK: The legacy side

extension EvidenceCounts {
    /// The baseline from counts at `legacyOnly`, as a ledger keeps them; nil if there are too few.
    package func baseline(margin: Duration = LatencyHistogram.slowMargin, minimum: Int) -> LegacyBaseline? {
        guard key.stage == .legacyOnly else { return nil }
        return durations.slowLimits(margin: margin, minimum: minimum).map(baseline)
    }

    /// The baseline of the legacy side in this epoch. Open windows count as they are.
    ///
    /// - Parameter limits: the slow limits, by operation.
    func baseline(_ limits: [String: Duration]) -> LegacyBaseline {
        var operations: [String: LegacyBaseline.Operation] = [:]
        for (place, name) in self.operations.enumerated() {
            guard let counts = units[.legacy, UInt8(place)], let limit = limits[name] else { continue }
            operations[name] = LegacyBaseline.Operation(
                units: Self.failures(counts.begun),
                isRead: reads.contains(name),
                slowNanoseconds: limit.wholeNanoseconds
            )
        }
        let all = all(.legacy)
        var answers: [String: Int] = [:]
        for (place, kind) in names.answers.enumerated() {
            let count = Self.count(all) { $0.contains(.answer(place)) }
            if count > 0 { answers[kind] = count }
        }
        let gaveUp = Self.count(all) { $0.contains(.gaveUp) }
        return LegacyBaseline(units: Self.failures(all), operations: operations, answers: answers, gaveUp: gaveUp)
    }
}

// MARK: Builds

extension EvidenceCounts {
    /// The counts of the build with that key, for people; nil in a process with both sides, and while nothing was
    /// counted.
    var armCounts: ArmCounts? {
        guard let arm = key.arm else { return nil }
        let tally = arm.side == .legacy ? EvidenceTally.legacy : .candidate
        guard let all = units[tally, EvidenceNames.all] else { return nil }
        var named: [String: FailureCounts] = [:]
        for (place, name) in operations.enumerated() {
            if let counts = units[tally, UInt8(place)] { named[name] = Self.failures(counts.begun) }
        }
        return ArmCounts(
            build: arm.build,
            side: arm.side,
            units: Self.failures(all.begun),
            settled: all.settled.values.reduce(0, +),
            operations: named,
            crossed: nil
        )
    }

    /// The counts with their sides exchanged at `aa`: a build counts its own units there as those of a candidate, and
    /// ``ArmReading`` compares two builds.
    fileprivate var onOwnSide: EvidenceCounts {
        guard key.stage == .aa else { return self }
        var counts = self
        counts.units = units.withSidesExchanged
        return counts
    }

    /// The number of units that another build counted first.
    var crossed: Int { all(.crossed).values.reduce(0, +) }

    /// The number of units whose calls were compared, at a stage that decides on comparisons, or else counted.
    var decidingUnits: Int {
        let isCompared = key.stage.kind == .shadow || key.stage.kind == .candidateShadowed
        return (isCompared ? [EvidenceTally.comparisons] : [.legacy, .candidate])
            .reduce(0) { $0 + all($1).values.reduce(0, +) }
    }
}
