import Cofferdam
import CofferdamSupport

extension Decision {
    /// What each build counted, and how much they differ; nil if processes hold both sides.
    var armTable: TextTable? {
        guard let arms = reading.arms, !arms.isEmpty else { return nil }
        let lowest = arms.compactMap { $0.units.total > 0 ? $0.units.rate : nil }.min() ?? 0
        var table = TextTable([
            .init("BUILD"), .init("SIDE"), .right("FAILED"), .right("OF"), .right("RATE"), .right("TIMES THE LOWEST"),
            .right("CAME FROM OTHERS"),
        ])
        for arm in arms {
            let rate = arm.units.rate
            table.add([
                .init(arm.build.escapedForTerminal), .init(arm.side.rawValue), .init("\(arm.units.failures)"),
                .init("\(arm.units.total)"), .init(rate?.shown(5) ?? "–"),
                .init(lowest > 0 ? rate.map { ($0 / lowest).shown(2) } ?? "–" : "–"),
                .init(arm.crossed.map { "\($0)" } ?? "–"),
            ])
        }
        return table
    }
}
