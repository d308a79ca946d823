package import Cofferdam  // text is shown in its terminal style

extension Decision {
    /// How far each operation has come, beside all of them together; nil where no single one is known.
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

    /// The test that decides on an operation: its promotion's, or else its rollback's.
    package func test(of operation: DecidedOperation) -> TestResult? {
        let own = tests.filter { $0.metric.operation == operation.name && $0.role != .veto }
        return own.first { $0.role == .promote } ?? (operation.name == nil ? nil : own.first { $0.role == .rollBack })
    }

    /// What is not judged as a person may expect, a line for each kind; empty where all are.
    package var operationRemarks: [String] {
        let named = (operations ?? []).filter { $0.name != nil }
        func line(_ judgement: DecidedOperation.Judgement, _ text: String) -> String? {
            let names = named.filter { $0.judgement == judgement }.compactMap(\.name)
            return names.isEmpty ? nil : "\(text): \(names.joined(separator: ", "))"
        }
        return [
            line(
                .rollbackOnly,
                "Too few units call these for a promotion to wait for them; their failures can only hold it or send it back"
            ),
            line(.notJudged, "Not judged by themselves at this stage"),
            line(.notCalled, "Not called, and so not judged"),
        ].compactMap { $0 }
    }
}

extension DecidedOperation {
    /// When enough units will be there, if they go on coming as they have: "2 d 3 h"; nil where that is not known.
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
