import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

/// A plan as `plan --json` prints it, for all upgrades that share it.
struct PlanReport: Encodable, Sendable, Hashable {
    var capabilities: [String]
    var attempt: Int
    /// p_max: the largest tolerated share of units that fail.
    var limit: Double
    /// The error probability of the whole upgrade, and of each promotion.
    var alpha: Double
    var alphaOfEach: Double
    var alphaRollback: Double
    var alphaRollbackOfEach: Double
    /// G: the number of promotions.
    var promotions: Int
    /// T: the number of rollback tests over all stages.
    var rollbackTests: Int
    var stages: [StageReport]
    /// The duration with a number of units a day; nil if it was not asked for.
    var duration: PlanDuration?
    /// Why it cannot end; empty if it can, nil if it was not asked for.
    var problems: [String]?
    /// The named plans, for comparison; nil if they were not asked for.
    var offers: [PlanOffer]?

    struct StageReport: Encodable, Sendable, Hashable {
        var stage: Stage
        /// The minimum number of units without a failure for the next stage; nil if a person takes the step.
        var cleanUnits: Int?
        var tests: [TestReport]
    }

    struct TestReport: Encodable, Sendable, Hashable {
        var role: GateTest.Role
        var metric: Metric
        var rule: String
        var alpha: Double
    }

    init(_ capabilities: [String], _ plan: UpgradePlan, dailyUsers: Int? = nil) {
        self.capabilities = capabilities
        (attempt, limit) = (plan.settings.attempt, plan.settings.limit)
        (alpha, alphaOfEach) = (plan.settings.alpha, plan.alpha)
        (alphaRollback, alphaRollbackOfEach) = (plan.settings.alphaRollback, plan.alphaRollback)
        (promotions, rollbackTests) = (plan.promotions, plan.stoppingTests)
        duration = dailyUsers.map { PlanDuration(plan, dailyUsers: $0) }
        problems = duration?.problems
        stages = plan.gates.map { gate in
            StageReport(
                stage: gate.stage,
                cleanUnits: plan.cleanUnits(toLeave: gate.stage),
                tests: gate.tests.map { test in
                    TestReport(role: test.role, metric: test.metric, rule: test.text, alpha: test.alpha)
                }
            )
        }
    }

    /// Returns one report for all upgrades with the same plan, in the order of the first of each.
    static func reports(
        _ capabilities: [UpgradeTooling.Capability],
        attempt: Int,
        dailyUsers: Int? = nil
    ) throws(GateError) -> [PlanReport] {
        var groups: [(plan: UpgradePlan, names: [String])] = []
        for capability in capabilities {
            if let index = groups.firstIndex(where: { $0.plan == capability.plan }) {
                groups[index].names.append(capability.name)
            } else {
                groups.append((capability.plan, [capability.name]))
            }
        }
        var reports: [PlanReport] = []
        let offers = try dailyUsers.map { users throws(GateError) in try PlanOffer.all(dailyUsers: users) }
        for group in groups {
            var report = PlanReport(group.names, group.plan.attempt(attempt), dailyUsers: dailyUsers)
            report.offers = offers
            reports.append(report)
        }
        return reports
    }

    /// - Parameter showsNumbers: whether to show each test with its share of α, rather than what decides in words.
    func render(_ style: TerminalStyle, showsNumbers: Bool = false) -> String {
        let title = style.apply(.bold, to: capabilities.joined(separator: ", ").escapedForTerminal)
        let text = showsNumbers ? numbers(style) : words(style)
        return "\(title)\n\(text)" + PlanOffer.text(duration, problems ?? [], offers ?? [], style)
    }

    private func words(_ style: TerminalStyle) -> String {
        var table = TextTable([.init("STEP"), .init("GOES ON AFTER"), .init("GOES BACK IF V2")])
        for (index, stage) in stages.enumerated() {
            let what = stage.stage.comparesAnswers ? "difference" : "failure"
            let person = index < stages.count - 1 ? "a person says so" : ""
            let after = stage.cleanUnits.map { "\($0.grouped) users without \(what)" } ?? person
            table.add([.init(stage.stage.words), .init(after), .init(stage.goesBackIf)])
        }
        let more = attempt > 1 ? " This is attempt \(attempt), which needs more users." : ""
        return """
            At most \((limit * 100).shownAsRate) % of users may have a failure on V2. All steps together
            err in less than \((alpha * 100).shownAsRate) % of upgrades.\(more) `--numbers` shows the tests.

            \(table.render(style))
            """
    }

    private func numbers(_ style: TerminalStyle) -> String {
        var table = TextTable([
            .init("STAGE"), .right("CLEAN UNITS"), .init("TEST"), .init("METRIC"), .right("Α"), .init("RULE"),
        ])
        for stage in stages {
            var head: [TextTable.Cell] = [.init(stage.stage.rawValue), .init(stage.cleanUnits.map { "\($0)" } ?? "–")]
            if stage.tests.isEmpty { table.add(head + ["a person: advance"]) }
            for test in stage.tests {
                table.add(
                    head + [
                        .init(test.role.rawValue), .init(test.metric.rawValue), .init(test.alpha.shownAsRate),
                        .init(test.rule),
                    ]
                )
                head = ["", ""]
            }
        }
        return """
            At most \(limit) of the units may fail; attempt \(attempt).
            Promotions: G = \(promotions), α \(alpha) for all, \(alphaOfEach.shownAsRate) for each.
            Rollback tests: T = \(rollbackTests), α \(alphaRollback) for all, \(alphaRollbackOfEach.shownAsRate) for each.

            \(table.render(style))
            """
    }
}

extension PlanReport.StageReport {
    /// What its rollback tests count, in words: "fails, is slow".
    fileprivate var goesBackIf: String {
        var words: [String] = []
        for test in tests where test.role == .rollBack {
            let name = test.metric.rawValue.lowercased()
            let word =
                name.contains("mismatch")
                ? "differs"
                : name.contains("slow")
                    ? "lags"
                    : name.contains("gaveup")
                        ? "hangs" : "fails"
            if !words.contains(word) { words.append(word) }
        }
        return words.joined(separator: ", ")
    }
}

extension GateTest {
    fileprivate var text: String {
        guard let floor else { return rule.text }
        return rule.text + ", and \(floor.limit.shownAsRate) against \(floor.target.shownAsRate) of its units"
    }
}

extension GateTest.Rule {
    fileprivate var text: String {
        switch self {
        case .mixture(let limit): "mixture below \(limit.text)"
        case .probabilityRatio(let target, let limit): "probability ratio \(limit.text) against \(target.text)"
        case .bayesFactor(let share): "Bayes factor against a share of \(share.text)"
        case .twoSidedBayesFactor(let share): "two-sided Bayes factor against a share of \(share.text)"
        case .ratio(let share, let factor): "ratio below \(factor.shownAsRate), at a share of \(share.text)"
        }
    }
}

extension GateTest.Level {
    fileprivate var text: String {
        guard let measured else { return fixed.shownAsRate }
        let bound = estimate == .rate ? measured.rawValue : "\(estimate.rawValue) bound of \(measured)"
        let part = factor.map { "\($0.shownAsRate) × \(bound)" } ?? bound
        return fixed == 0 ? part : "\(part) + \(fixed.shownAsRate)"
    }
}
