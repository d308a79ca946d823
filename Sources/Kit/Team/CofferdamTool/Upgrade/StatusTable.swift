import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// The status of upgrades for people: the stage of each, who takes the next step, and how the evidence grows.
struct StatusTable {
    var statuses: [CapabilityStatus]
    var note: String?
    /// What failed just now.
    var problem: String?

    func render(_ style: TerminalStyle) -> String {
        let headlines = statuses.compactMap { status in status.headline.map { "\(status.capability): \($0)" } }
        var parts =
            headlines.isEmpty ? [] : [headlines.map { style.apply(.red, to: $0.escapedForTerminal) + "\n" }.joined()]
        parts.append(stages.render(style))
        if !evidence.isEmpty { parts.append(evidence.render(style)) }
        if !operations.isEmpty { parts.append(operations.render(style)) }
        let remarks = statuses.flatMap { status in status.remarks.map { "\(status.capability): \($0)" } }
        if !remarks.isEmpty { parts.append(remarks.map { $0.escapedForTerminal + "\n" }.joined()) }
        if let note { parts.append(note.escapedForTerminal + "\n") }
        if let problem { parts.append(style.apply(.red, to: problem.escapedForTerminal) + "\n") }
        return parts.joined(separator: "\n")
    }

    private var stages: TextTable {
        var table = TextTable([
            .init("CAPABILITY"), .init("STAGE"), .right("EPOCH"), .right("AGE"), .right("ATTEMPT"), .init("WAITS FOR"),
            .init("KILL SWITCH"), .init("GATE"), .init("NEXT"),
        ])
        for status in statuses {
            table.add([
                .init(status.capability), .init(status.stage.rawValue), .init("\(status.epoch)"),
                .init(status.ageSeconds.map(ShownTime.span) ?? "–"), .init("\(status.attempt)"),
                .init(status.waitsFor.words, status.waitsFor.colour), .init(status.kill?.target.rawValue ?? "–", .red),
                .init(status.gate.verdict?.rawValue ?? "–", status.gate.verdict?.colour),
                .init(status.next?.rawValue ?? "–"),
            ])
        }
        return table
    }

    private var evidence: TextTable {
        var table = TextTable([
            .init("METRIC"), .right("FAILED"), .right("OF"), .right("CLEAN NEEDED"), .right("EVIDENCE"),
            .right("REQUIRED"),
            .init("EVIDENCE SO FAR"), .init("FAILURES"), .right("COUNTED"),
        ])
        for status in statuses {
            let gate = status.gate
            guard let metric = gate.metric, let threshold = gate.threshold else { continue }
            table.add([
                .init("\(status.capability): \(metric)"), .init(gate.failures.map(String.init) ?? "–"),
                .init(gate.units.map(String.init) ?? "–"), .init(gate.moreCleanUnits.map(String.init) ?? "–"),
                .init(gate.logEvidence?.shown(3) ?? "–"), .init(threshold.shown(3)),
                .init(Sparkline(gate.series.map(\.logEvidence), full: threshold).render(width: 20), .cyan),
                .init(gate.newFailures.render(width: 20), .red),
                .init(gate.evidenceAgeSeconds.map { "\(ShownTime.span(seconds: $0)) ago" } ?? "–"),
            ])
        }
        return table
    }

    private var operations: TextTable {
        var table = TextTable([
            .init("OPERATION"), .init("JUDGED"), .right("FAILED"), .right("SETTLED"), .right("MISSING"),
            .right("READY IN"),
        ])
        for status in statuses {
            for operation in status.gate.operations {
                guard let name = operation.name else { continue }
                table.add([
                    .init("\(status.capability): \(name)"), .init(operation.judgement.rawValue),
                    .init("\(operation.begun.failures)"), .init("\(operation.settled.total)"),
                    .init(operation.missing.map { "\($0)" } ?? "–"), .init(operation.timeLeft ?? "–"),
                ])
            }
        }
        return table
    }
}

extension GateStatus {
    /// The number of new failures between the points. The largest one fills a bar.
    fileprivate var newFailures: Sparkline {
        let points = series.thinned(to: 20)
        let news = zip([0] + points.map(\.failures), points).map { Double(max(0, $1.failures - $0)) }
        return Sparkline(news, full: news.max() ?? 0)
    }
}

extension CapabilityStatus.Awaited {
    fileprivate var colour: TerminalStyle.Colour? {
        switch self {
        case .resume, .rollback: .red
        case .advance: .yellow
        case .promote: .green
        case .evidence, .nothing: nil
        }
    }
}
