#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

extension ConsoleUpgrade {
    /// The number of devices with an open breaker, for the operation with the most; nil if there are none.
    var breakerBadge: Markup? {
        guard let devices = status.breakers?.map(\.open).max(), devices > 0 else { return nil }
        return PagePart.badge("breaker open on \(devices) device\(devices == 1 ? "" : "s")", .bad)
    }
}

extension ConsoleSections {
    /// For each operation, the number of devices whose breaker is open; empty if devices do not report to this
    /// server.
    var breakers: Markup {
        guard let totals = upgrade.status.breakers else { return "" }
        let content: Markup
        if totals.isEmpty {
            content = "<p class=\"muted\">No device has reported an open breaker in this epoch.</p>"
        } else {
            let rows = totals.map { total -> [Markup] in
                [
                    PagePart.name(total.operation), "\(total.side.rawValue)",
                    total.open > 0 ? PagePart.badge("\(total.open)", .bad) : "0", "\(total.opened)",
                    Self.time(total.since, isShort: true),
                ]
            }
            let columns: [PageTable.Column] = [
                "Operation", "Side", .number("Devices open now"), .number("Devices in this epoch"), "First opened",
            ]
            content = PageTable("breakers", columns, rows).markup
        }
        return PagePart.section("breakers", "Breakers on devices", content)
    }
}
#endif
