package import CofferdamSupport

/// A gate's decision with all its inputs, so that anyone can recompute it.
public struct Decision: Sendable, Hashable, Codable {
    package var gate: Gate
    /// The reading on which the decision is based.
    public var reading: GateReading
    /// The verdict.
    public var verdict: GateVerdict
    /// The reasons for the verdict, most important first; never empty.
    public var reasons: [GateReason]
    /// Each test that could be computed, in the gate's order.
    package var tests: [TestResult]
    package var ceilings: [CeilingResult]
    /// The progress of all operations together and of each one; nil in older records.
    package var operations: [DecidedOperation]?
    /// Each alarm with visits; nil in older records.
    package var alarms: [AlarmResult]?

    /// A test with its counts, the rule with the measured rates inserted, and the result.
    package struct TestResult: Sendable, Hashable, Codable {
        package var metric: Metric
        package var role: GateTest.Role
        package var rule: SequentialRule
        package var counts: FailureCounts
        /// The natural logarithm of the evidence.
        package var value: Double
        /// ln(1/α).
        package var threshold: Double
        /// Whether the evidence is sufficient, including that for the floor.
        package var isReached: Bool
        /// The second condition with its result; nil if there is none, and in older records.
        package var floor: Floor?
        /// The installations whose evidence was tested; nil if the gate distinguishes none.
        package var counted: CountedInstallations?

        /// A ``GateTest/Floor`` with its counts and the result, which must reach the same threshold.
        package struct Floor: Sendable, Hashable, Codable {
            package var rule: SequentialRule
            package var counts: FailureCounts
            package var value: Double
        }
    }

    /// A ceiling with its counts and the result.
    package struct CeilingResult: Sendable, Hashable, Codable {
        package var metric: Metric
        package var counts: FailureCounts
        /// The share that is compared with the limit: the observed one, or its upper bound.
        package var value: Double
        package var limit: Double
        package var isExceeded: Bool
    }
}

extension Decision.TestResult {
    /// The limit of a promotion's test if the rate is above it for certain, by a lower bound at 99 %: more units will not
    /// help.
    var limitPassed: Double? {
        guard role == .promote, case .mixture(let limit) = rule, counts.isPossible, counts.total > 0,
            ConfidenceBounds.lower(counts, alpha: GateTest.Level.Estimate.alpha) > limit
        else { return nil }
        return limit
    }

    /// The evidence of the test or of its floor, whichever is lower.
    package var weakest: Double { min(value, floor?.value ?? value) }
}

extension Decision {
    /// Computes the decision again, from the gate and the counts alone.
    package func recomputed() -> Decision { gate.decide(reading) }

    /// The contradictions between the record and its own numbers; empty if it is valid.
    ///
    /// - Parameter tolerance: how far values may differ, because logarithms differ in their last digits between
    ///   systems.
    package func contradictions(tolerance: Double = 1e-6) -> [String] {
        let again = recomputed()
        var found: [String] = []
        if verdict != again.verdict {
            found.append("the verdict is \(verdict.rawValue), computed \(again.verdict.rawValue)")
        }
        if reasons.map(\.code) != again.reasons.map(\.code) { found.append("the reasons differ") }
        if tests.count != again.tests.count { found.append("\(tests.count) tests, computed \(again.tests.count)") }
        for (test, other) in zip(tests, again.tests) where !test.agrees(with: other, tolerance) {
            found.append(
                "\(test.metric): \(test.value) against \(test.threshold), computed \(other.value) against \(other.threshold)"
            )
        }
        if (alarms ?? []).count != (again.alarms ?? []).count {
            found.append("\((alarms ?? []).count) alarms, computed \((again.alarms ?? []).count)")
        }
        for (alarm, other) in zip(alarms ?? [], again.alarms ?? []) where !alarm.agrees(with: other, tolerance) {
            found.append("the alarm since hour \(alarm.since): \(alarm.value), computed \(other.value)")
        }
        if ceilings.count != again.ceilings.count {
            found.append("\(ceilings.count) ceilings, computed \(again.ceilings.count)")
        }
        for (ceiling, other) in zip(ceilings, again.ceilings) where !ceiling.agrees(with: other, tolerance) {
            found.append("\(ceiling.metric): \(ceiling.value), computed \(other.value)")
        }
        return found
    }
}

extension Decision.TestResult {
    fileprivate func agrees(with other: Self, _ tolerance: Double) -> Bool {
        metric == other.metric && role == other.role && counted == other.counted && counts == other.counts
            && isReached == other.isReached
            && abs(value - other.value) <= tolerance && abs(threshold - other.threshold) <= tolerance
            && floor?.counts == other.floor?.counts
            && abs((floor?.value ?? 0) - (other.floor?.value ?? 0)) <= tolerance
    }
}

extension Decision.CeilingResult {
    fileprivate func agrees(with other: Self, _ tolerance: Double) -> Bool {
        metric == other.metric && counts == other.counts && isExceeded == other.isExceeded && limit == other.limit
            && abs(value - other.value) <= tolerance
    }
}

extension Decision {
    /// The progress of all operations together and of each one; nil if no single operation is known.
    package var operationTable: TextTable? {
        guard let operations, operations.contains(where: { $0.name != nil }) else { return nil }
        var table = TextTable([
            .init("OPERATION"), .init("JUDGED"), .right("FAILED"), .right("SETTLED"), .right("OPEN"), .right("LN E"),
            .right("NEEDS"), .right("MISSING"), .right("READY IN"),
        ])
        for operation in operations {
            let test = test(of: operation)
            table.add([
                .init((operation.name ?? "all together").escapedForTerminal),
                .init(operation.judgement.words, operation.judgement.colour), .init("\(operation.begun.failures)"),
                .init("\(operation.settled.total)"),
                .init("\(max(0, operation.begun.total - operation.settled.total))"),
                .init(test?.value.shown(3) ?? "–"), .init(test?.threshold.shown(3) ?? "–"),
                .init(operation.missing.map { "\($0)" } ?? "–"), .init(operation.timeLeft ?? "–"),
            ])
        }
        return table
    }

    /// The test that decides on an operation: its promotion test or, for a single operation without one, its rollback
    /// test.
    package func test(of operation: DecidedOperation) -> TestResult? {
        let own = tests.filter { $0.metric.operation == operation.name && $0.role != .veto }
        return own.first { $0.role == .promote } ?? (operation.name == nil ? nil : own.first { $0.role == .rollBack })
    }

    /// The operations that are not fully judged, one line for each kind; empty if all are.
    package var operationRemarks: [String] {
        let named = (operations ?? []).filter { $0.name != nil }
        func line(_ judgement: DecidedOperation.Judgement, _ text: String) -> String? {
            let names = named.filter { $0.judgement == judgement }.compactMap(\.name)
            return names.isEmpty ? nil : "\(text): \(names.joined(separator: ", "))"
        }
        return [
            line(
                .rollbackOnly,
                "So few users call these that the next step does not wait for them; their failures still hold it up or send V2 back"
            ),
            line(.notJudged, "Not judged by themselves at this stage"),
            line(.notCalled, "Not called, and so not judged"),
        ].compactMap { $0 }
    }
}

extension DecidedOperation {
    /// The time until there are enough units, at the rate so far: "2 d 3 h"; nil if it is unknown.
    package var timeLeft: String? {
        guard let secondsLeft else { return nil }
        guard secondsLeft > 0 else { return "now" }
        let parts = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
        guard let first = parts.firstIndex(where: { secondsLeft >= $0.0 }) else { return nil }
        let (whole, rest) = secondsLeft.quotientAndRemainder(dividingBy: parts[first].0)
        let text = "\(whole) \(parts[first].1)"
        guard first + 1 < parts.count, rest >= parts[first + 1].0 else { return text }
        return text + " \(rest / parts[first + 1].0) \(parts[first + 1].1)"
    }
}

extension DecidedOperation.Judgement {
    fileprivate var words: String {
        switch self {
        case .fully: "fully"
        case .rollbackOnly: "failures only"
        case .notJudged: "no"
        case .notCalled: "not called"
        }
    }

    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .fully: nil
        case .rollbackOnly, .notJudged, .notCalled: .yellow
        }
    }
}

extension Decision {
    /// The decision as text: the verdict, the reasons, and each number with its threshold.
    public var explanation: String { explanation(TerminalStyle(isColoured: false)) }

    package func explanation(_ style: TerminalStyle) -> String {
        let title = "\(reading.stage), epoch \(reading.epoch): \(verdict.words)"
        var text = style.apply(verdict.colour, to: title) + "\n"
        for reason in reasons { text += "  \(reason.description.escapedForTerminal)\n" }
        if let operationTable {
            text += "\n" + operationTable.render(style)
            for remark in operationRemarks { text += "  \(remark.escapedForTerminal)\n" }
        }
        if let armTable { text += "\n" + armTable.render(style) }
        if !tests.isEmpty { text += "\n" + testTable.render(style) }
        if !ceilings.isEmpty { text += "\n" + ceilingTable.render(style) }
        if let alarms, !alarms.isEmpty { text += "\n" + Self.table(of: alarms).render(style) }
        if let installations = reading.installations {
            text += "\n\(installations.text(gate.promotionCounts ?? .all))\n"
        }
        if let named = NamedUnitCounts(reading.metrics) {
            text += "\nNamed units, in no test: \(named.text.escapedForTerminal)\n"
        }
        return text
    }

    private var testTable: TextTable {
        var table = TextTable([
            .init("TEST"), .init("METRIC"), .right("FAILED"), .right("OF"), .right("LN E"), .right("NEEDS"), .init(""),
            .init("RULE"),
        ])
        for test in tests {
            table.add([
                .init(test.role.words), .init(test.name), .init("\(test.counts.failures)"),
                .init("\(test.counts.total)"), .init(test.value.shown(3)), .init(test.threshold.shown(3)),
                .init(test.isReached ? "reached" : "–", test.isReached ? test.role.colour : nil),
                .init(test.ruleText),
            ])
        }
        return table
    }

    private static func table(of alarms: [AlarmResult]) -> TextTable {
        var table = TextTable([
            .init("ALARM"), .init("SINCE"), .right("CANDIDATE"), .right("LEGACY"), .right("LIMIT"), .right("LN M"),
            .right("RINGS AT"), .init(""),
        ])
        for alarm in alarms {
            table.add([
                .init(alarm.name.escapedForTerminal), .init(alarm.sinceText), .init("\(alarm.candidate)"),
                .init(alarm.legacy.map { "\($0)" } ?? "–"), .init(alarm.limit.shownAsRate),
                .init(alarm.value.shown(3)), .init(alarm.threshold.shown(3)),
                .init(alarm.isReached ? "rings" : "–", alarm.isReached ? .red : nil),
            ])
        }
        return table
    }

    private var ceilingTable: TextTable {
        var table = TextTable([
            .init("HOLDS ABOVE"), .right("SEEN"), .right("OF"), .right("SHARE"), .right("LIMIT"), .init(""),
        ])
        for ceiling in ceilings {
            table.add([
                .init(ceiling.metric.rawValue), .init("\(ceiling.counts.failures)"), .init("\(ceiling.counts.total)"),
                .init(ceiling.value.shown(5)), .init(ceiling.limit.shown(5)),
                .init(ceiling.isExceeded ? "above" : "–", ceiling.isExceeded ? .yellow : nil),
            ])
        }
        return table
    }
}

extension GateVerdict {
    /// For people.
    package var words: String {
        switch self {
        case .promote: "promote"
        case .hold: "hold"
        case .rollBack: "roll back"
        case .undecided: "undecided, ask a person"
        }
    }

    /// For a terminal.
    package var colour: TerminalStyle.Colour {
        switch self {
        case .promote: .green
        case .hold: .cyan
        case .rollBack: .red
        case .undecided: .yellow
        }
    }
}

extension GateTest.Role {
    fileprivate var words: String {
        switch self {
        case .promote: "promote"
        case .rollBack: "roll back"
        case .veto: "veto"
        }
    }

    /// For a terminal.
    package var colour: TerminalStyle.Colour {
        switch self {
        case .promote: .green
        case .rollBack: .red
        case .veto: .yellow
        }
    }
}

extension Decision.TestResult {
    /// The metric, and whose evidence it is if the gate distinguishes installations.
    package var name: String { metric.rawValue + (counted.map { " (\($0))" } ?? "") }

    /// The counts and the evidence, for a reason.
    var numbers: String {
        "\(counts)\(counted.map { " of \($0) installations" } ?? ""), \(rule): ln E \(value.shown(3)) of \(threshold.shown(3))\(floorText)"
    }

    /// The rules alone, for a table that has columns for the numbers.
    package var ruleText: String { rule.description + floorText }

    private var floorText: String { floor.map { "; \($0.counts), \($0.rule): ln E \($0.value.shown(3))" } ?? "" }
}
