import Cofferdam
import CofferdamSupport
import CofferdamSimulation
import CofferdamUpgrade

/// A named plan: how long it takes, and what it would let through.
struct PlanOffer: Encodable, Sendable, Hashable {
    var name: NamedPlan
    /// p_max: the largest tolerated failure rate.
    var limit: Double
    var duration: PlanDuration
    var canEnd: Bool
    /// How likely candidates with certain failure rates are to pass all stages.
    var letsThrough: [Chance]

    struct Chance: Encodable, Sendable, Hashable {
        var rate: Double
        var promoted: Double
    }

    static func all(dailyUsers: Int) throws(GateError) -> [PlanOffer] {
        var offers: [PlanOffer] = []
        for name in NamedPlan.staged {
            let plan = try UpgradePlan.named(name)
            let duration = PlanDuration(plan, dailyUsers: dailyUsers)
            var chances: [Chance] = []
            for part in [0.1, 0.5, 1] {
                let rate = plan.settings.limit * part
                chances.append(Chance(rate: rate, promoted: try plan.chanceToArrive(failing: rate)))
            }
            offers.append(
                PlanOffer(
                    name: name,
                    limit: plan.settings.limit,
                    duration: duration,
                    canEnd: duration.canEnd,
                    letsThrough: chances
                )
            )
        }
        return offers
    }

    /// The text below the plan, for people; empty if it was not asked for.
    static func text(
        _ duration: PlanDuration?,
        _ problems: [String],
        _ offers: [PlanOffer],
        _ style: TerminalStyle
    ) -> String {
        guard let duration else { return "" }
        var stages = TextTable([.init("STAGE"), .right("UNITS"), .right("SEES"), .right("DAYS")])
        for stage in duration.stages {
            stages.add([
                .init(stage.stage.rawValue), .init("\(stage.units)"), .init("\((stage.share * 100).shown(1)) %"),
                .init(stage.days.shownAsDays, stage.isTooLong ? .red : nil),
            ])
        }
        stages.add(["all", "", "", .init(duration.days.shownAsDays, problems.isEmpty ? .green : .red)])
        var text = "\nWith \(duration.dailyUsers) new units a day, none of which fails:\n\n" + stages.render(style)
        for problem in problems { text += style.apply(.red, to: "This plan cannot end: \(problem).") + "\n" }
        var table = TextTable([
            .init("PLAN"), .right("LIMIT"), .right("GATES"), .right("DAYS"), .init("ENDS"),
            .init("LETS THROUGH, BY FAILURE RATE"),
        ])
        for offer in offers {
            let chances = offer.letsThrough.map { "\(percent($0.rate)): \(percent($0.promoted))" }
            table.add([
                .init(offer.name.rawValue), .init(percent(offer.limit)), .init("\(offer.duration.stages.count - 1)"),
                .init(offer.duration.days.shownAsDays),
                .init(offer.canEnd ? "yes" : "no", offer.canEnd ? .green : .red),
                .init(chances.joined(separator: ", ")),
            ])
        }
        return text + "\n" + table.render(style)
    }

    private static func percent(_ share: Double) -> String {
        let percent = share * 100
        return percent > 0 && percent < 0.005 ? "< 0.01 %" : "\(percent.shown(2)) %"
    }
}
