/// The days that a faultless candidate needs, at a given number of units a day.
package struct PlanDuration: Sendable, Hashable, Codable {
    /// The number of units a day that are new to the stage.
    package var dailyUsers: Int
    package var stages: [StageDuration]
    /// The days of all stages together.
    package var days: Double

    package struct StageDuration: Sendable, Hashable, Codable {
        package var stage: Stage
        /// The number of units to count.
        package var units: Int
        /// The share of the units that counts there: those in the canary, or those that are compared.
        package var share: Double
        package var days: Double
        /// Whether the gate asks a person before enough units are counted.
        package var isTooLong: Bool
    }

    /// A plan that takes longer is reported as a problem.
    package static let maxDays = 90.0

    /// Whether the plan ends in time, and no gate asks a person first.
    package var canEnd: Bool { days <= Self.maxDays && !stages.contains(where: \.isTooLong) }

    /// The reasons why the plan cannot end; empty if it can.
    package var problems: [String] {
        var problems = stages.filter(\.isTooLong).map { stage in
            "\(stage.stage) needs \(stage.days.shownAsDays) days, and its gate gives up before and asks a person"
        }
        if days > Self.maxDays {
            problems.append(
                "it takes \(days.shownAsDays) days with \(dailyUsers) units a day, more than \(Int(Self.maxDays))"
            )
        }
        return problems
    }

    /// - Parameter dailyUsers: values below 1 are treated as 1.
    package init(_ plan: UpgradePlan, dailyUsers: Int) {
        self.dailyUsers = max(1, dailyUsers)
        let daily = Double(self.dailyUsers)
        stages = plan.stages.dropLast().map { stage in
            // A unit makes at least one call.
            let units = stage == .legacyOnly ? plan.settings.minimumBaselineCalls : plan.cleanUnits(toLeave: stage) ?? 0
            let share = stage.countedShare
            let shortest = stage.hasShortestTime ? Double(plan.settings.shortestSeconds) / 86_400 : 0
            let days = max(Double(units) / share / daily, shortest)
            return StageDuration(
                stage: stage,
                units: units,
                share: share,
                days: days,
                isTooLong: stage != .legacyOnly && days * 86_400 > Double(plan.settings.longestSeconds)
            )
        }
        days = stages.reduce(0) { $0 + $1.days }
    }
}

extension Stage {
    /// The share of the units that a promotion from this stage counts.
    var countedShare: Double {
        switch self {
        case .legacyOnly, .candidateWithFallback, .candidateOnly: 1
        // The delivery decides the shares, and each arm needs its own units.
        case .aa, .arms: 0.5
        case .shadow(let share), .canary(let share), .candidateShadowed(let share): share.fraction
        }
    }
}

extension Double {
    /// The number of days, for people: with one decimal if there are fewer than 10.
    package var shownAsDays: String { self < 10 ? shown(1) : self < 1e9 ? "\(Int(rounded(.up)))" : shown(0) }
}
