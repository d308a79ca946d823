import CofferdamContracts
import CofferdamSupport

extension CoverageTable {
    /// The table, with a letter for each reason, and the reasons below.
    func render(_ style: TerminalStyle) -> String {
        let reasons = rows.flatMap { $0.cells.compactMap(\.reason) }
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        func mark(_ reason: String) -> String { Self.mark(reasons.firstIndex(of: reason) ?? 0) }
        var table = TextTable([.init("OPERATION")] + families.map { .right($0) })
        for row in rows {
            table.add(
                [.init(row.operation)]
                    + row.cells.map { cell in
                        cell.rules > 0
                            ? .init("\(cell.rules)")
                            : cell.reason.map { .init(mark($0), .dim) } ?? .init("none", .red)
                    }
            )
        }
        let legend = reasons.map { reason in
            "\(mark(reason))  \(reason)".escapedForTerminal.wrapped(to: 76).enumerated()
                .map { ($0.offset == 0 ? "" : "   ") + $0.element + "\n" }.joined()
        }.joined()
        let found = problems.map { style.apply(.red, to: $0.escapedForTerminal) + "\n" }.joined()
        let counts = "\(rows.count) \(rows.count == 1 ? "operation" : "operations"), \(families.count) families"
        let empty = rows.reduce(0) { $0 + $1.cells.count { $0.rules == 0 && $0.reason == nil } }
        let verdict =
            empty == 0
            ? "\(counts): each has rules or a reason" : "\(counts): \(empty) without rules and without a reason"
        return [table.render(style), legend.isEmpty ? "" : style.apply(.dim, to: legend), found].filter { !$0.isEmpty }
            .joined(separator: "\n") + style.apply(problems.isEmpty ? .green : .red, to: "coverage: \(verdict)") + "\n"
    }

    /// "a" to "z", "aa" and so on.
    private static func mark(_ index: Int) -> String {
        let letter = String(UnicodeScalar(UInt8(97 + index % 26)))
        return index < 26 ? letter : mark(index / 26 - 1) + letter
    }
}
