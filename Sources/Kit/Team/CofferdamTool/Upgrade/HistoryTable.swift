import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

extension HistoryLine {
    static func table(_ lines: [HistoryLine]) -> TextTable {
        var table = TextTable([
            .init("WHEN (UTC)"), .init("UPGRADE"), .init("WHO"), .init("WHAT"), .init("AFTERWARDS"), .init("WHY"),
            .init("ENTRY"),
        ])
        for line in lines {
            table.add([
                .init(line.at.replacing("T", with: " ").replacing("Z", with: "")), .init(line.capability),
                .init(line.by), .init(line.inWords), .init(line.after.inWords), .init(line.reason),
                .init(String(line.id.prefix(8))),
            ])
        }
        return table
    }
}
