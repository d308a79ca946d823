package import Cofferdam  // text is shown in its terminal style

extension Decision {
    /// The decision for a person: the verdict, why, and each number beside what it is held against.
    public var explanation: String { explanation(TerminalStyle(isColoured: false)) }

    package func explanation(_ style: TerminalStyle) -> String {
        let title = "\(reading.stage), epoch \(reading.epoch): \(verdict.words)"
        var text = style.apply(verdict.colour, to: title) + "\n"
        for reason in reasons { text += "  \(reason.description.escapedForTerminal)\n" }
        if let operationTable {
            text += "\n" + operationTable.render(style)
            for remark in operationRemarks { text += "  \(remark.escapedForTerminal)\n" }
        }
        if !tests.isEmpty { text += "\n" + testTable.render(style) }
        if !ceilings.isEmpty { text += "\n" + ceilingTable.render(style) }
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
                .init(test.role.words), .init(test.metric.rawValue), .init("\(test.counts.failures)"),
                .init("\(test.counts.total)"), .init(test.value.shown(3)), .init(test.threshold.shown(3)),
                .init(test.isReached ? "reached" : "–", test.isReached ? test.role.colour : nil),
                .init(test.rules),
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
    fileprivate var words: String {
        switch self {
        case .promote: "promote"
        case .hold: "hold"
        case .rollBack: "roll back"
        case .undecided: "undecided, ask a person"
        }
    }

    fileprivate var colour: TerminalStyle.Colour {
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

    fileprivate var colour: TerminalStyle.Colour {
        switch self {
        case .promote: .green
        case .rollBack: .red
        case .veto: .yellow
        }
    }
}

extension Decision.TestResult {
    /// For a reason: what was counted, and how far it goes.
    var numbers: String { "\(counts), \(rule): ln E \(value.shown(3)) of \(threshold.shown(3))\(floorText)" }

    /// For a table that has the numbers in columns of their own.
    package var rules: String { rule.description + floorText }

    private var floorText: String { floor.map { "; \($0.counts), \($0.rule): ln E \($0.value.shown(3))" } ?? "" }
}
