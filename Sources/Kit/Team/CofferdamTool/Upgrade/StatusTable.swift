import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// The status of upgrades for people: of each, what it means for users, what happens next, and how its operations do.
struct StatusTable {
    var statuses: [CapabilityStatus]
    var note: String?
    /// What failed just now.
    var problem: String?

    func render(_ style: TerminalStyle) -> String {
        var parts = statuses.map { section($0, style) }
        if let note { parts.append(note.escapedForTerminal + "\n") }
        if let problem { parts.append(style.apply(.red, to: problem.escapedForTerminal) + "\n") }
        return parts.joined(separator: "\n")
    }

    private func section(_ status: CapabilityStatus, _ style: TerminalStyle) -> String {
        let situation = status.situation
        let age = status.ageSeconds.map { " for \(ShownTime.span(seconds: $0))" } ?? ""
        let title = style.apply(.bold, to: status.capability.escapedForTerminal)
        var text = "\(title)  \(style.apply(situation.tone.colour, to: status.inBrief + age))\n"
        let reason = situation.reason.map { "Reason: \($0)" }
        for sentence in [situation.now, reason, situation.next].compactMap(\.self) { text += Self.paragraph(sentence) }
        let operations = operations(of: status)
        if !operations.isEmpty {
            text += "\n" + operations.render(style).split(separator: "\n").map { "  \($0)\n" }.joined()
        }
        let remarks = status.remarks.map(Self.paragraph).joined()
        return remarks.isEmpty ? text : "\(text)\n\(remarks)"
    }

    /// A paragraph of at most 80 columns, indented by two.
    private static func paragraph(_ text: String) -> String {
        text.escapedForTerminal.wrapped(to: 78).map { "  \($0)\n" }.joined()
    }

    private func operations(of status: CapabilityStatus) -> TextTable {
        let isCompared = status.stage.comparesAnswers
        let legacy = status.gate.legacyByOperation
        var columns: [TextTable.Column] = [
            .init("OPERATION"), .right("USERS"), .right(isCompared ? "DIFFERENT" : "FAILED ON V2"),
        ]
        if legacy != nil { columns.append(.right("FAILED ON V1")) }
        var table = TextTable(columns + [.init("ENOUGH TO DECIDE?")])
        for operation in status.gate.operations {
            guard let name = operation.name else { continue }
            let begun = operation.begun
            var cells: [TextTable.Cell] = [
                .init(name), .init(begun.total.grouped), .init(begun.inShort, begun.failures > 0 ? .red : nil),
            ]
            if let legacy { cells.append(.init(legacy[name]?.inShort ?? "–")) }
            table.add(cells + [.init(operation.enough)])
        }
        return table
    }
}

extension Situation.Tone {
    var colour: TerminalStyle.Colour? {
        switch self {
        case .trouble: .red
        case .waiting: .yellow
        case .calm: .green
        }
    }
}
