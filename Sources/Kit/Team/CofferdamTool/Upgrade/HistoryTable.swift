import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

extension HistoryLine {
    static func table(_ lines: [HistoryLine]) -> TextTable {
        var table = TextTable([
            .init("WHEN"), .init("ENTRY"), .init("CAPABILITY"), .init("WHO"), .init("WHAT"), .init("FROM"),
            .init("TO"), .init("VERDICT"), .init("WHY"),
        ])
        for line in lines {
            table.add([
                .init(line.at), .init(String(line.id.prefix(8))), .init(line.capability), .init(line.by),
                .init(line.what), .init(line.before.stage.rawValue), .init(line.after.text),
                .init(line.verdict?.rawValue ?? "–", line.verdict?.colour), .init(line.reason),
            ])
        }
        return table
    }
}
