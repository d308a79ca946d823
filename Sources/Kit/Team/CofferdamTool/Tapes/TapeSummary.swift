import Cofferdam
import CofferdamSupport
import CofferdamContracts

/// The numbers of recorded calls, by operation.
struct TapeSummary: Sendable, Hashable, Encodable {
    struct Call: Sendable, Hashable, Encodable {
        let name: String
        let answers: Int
        let errors: Int
    }

    let adapter: String
    let file: String
    let calls: [Call]

    init(_ tape: Tape, of adapter: String, in file: String) {
        self.adapter = adapter
        self.file = file
        let names = tape.operations.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        calls = names.map { name in
            let entries = tape.entries.filter { $0.operation == name }
            let answers = entries.count { entry in
                // A stream that was cancelled after it delivered elements counts as answered.
                if case .returned = entry.outcome { return true }
                return entry.outcome == .cancelled && entry.items?.isEmpty == false
            }
            return Call(name: name, answers: answers, errors: entries.count - answers)
        }
    }

    /// A tape with only errors is worthless.
    var hasAnswers: Bool { calls.contains { $0.answers > 0 } }

    func render(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("CALL"), .right("ANSWERS"), .right("ERRORS")])
        for call in calls { table.add([.init(call.name), .init("\(call.answers)"), .init("\(call.errors)")]) }
        let count = calls.reduce(0) { $0 + $1.answers + $1.errors }
        return table.render(style) + "\n"
            + style.apply(.green, to: "tapes: \(count) calls of \(adapter) are in \(file.escapedForTerminal)") + "\n"
    }
}
