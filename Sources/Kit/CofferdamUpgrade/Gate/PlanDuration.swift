/// In how many days a faultless candidate comes all the way, if so many units come by.
public struct PlanDuration: Sendable, Hashable, Codable {
    /// Units that come each day, and have not come before at the same stage: one that comes back counts once.
    public var dailyUsers: Int
    public var stages: [StageDuration]
    /// Of all stages together.
    public var days: Double

    public struct StageDuration: Sendable, Hashable, Codable {
        public var stage: Stage
        /// How many must be counted.
        public var units: Int
        /// Which share of the units counts there: those in the canary, or those that are compared.
        public var share: Double
        public var days: Double
        /// Whether the gate asks a person before so many have come.
        public var isTooLong: Bool
    }

    /// A plan that takes longer is told before it begins.
    public static let mostDays = 90.0

    /// Whether it ends in time, and no gate gives up before.
    public var canEnd: Bool { days <= Self.mostDays && !stages.contains(where: \.isTooLong) }

    /// Why it cannot end; empty if it can.
    public var problems: [String] {
        var problems = stages.filter(\.isTooLong).map { stage in
            "\(stage.stage) needs \(stage.days.shownAsDays) days, and its gate asks a person before"
        }
        if days > Self.mostDays {
            problems.append(
                "it takes \(days.shownAsDays) days with \(dailyUsers) units a day, more than \(Int(Self.mostDays))"
            )
        }
        return problems
    }

    /// - Parameter dailyUsers: fewer than 1 are taken as 1.
    public init(_ plan: UpgradePlan, dailyUsers: Int) {
        self.dailyUsers = max(1, dailyUsers)
        let daily = Double(self.dailyUsers)
        stages = plan.stages.dropLast().map { stage in
            // A unit makes one call at least.
            let units = stage == .legacyOnly ? plan.settings.fewestForBaseline : plan.cleanUnits(toLeave: stage) ?? 0
            let share = stage.countedShare
            let days = Double(units) / share / daily
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
    /// Which share of the units a promotion from it counts.
    var countedShare: Double {
        switch self {
        case .legacyOnly, .candidateWithFallback, .candidateOnly: 1
        case .shadow(let share), .canary(let share), .candidateShadowed(let share): share.fraction
        }
    }
}

extension Double {
    /// Days for people: with one digit where they are few.
    package var shownAsDays: String { self < 10 ? shown(1) : self < 1e9 ? "\(Int(rounded(.up)))" : shown(0) }
}
