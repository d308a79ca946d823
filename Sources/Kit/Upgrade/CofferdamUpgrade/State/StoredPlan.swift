/// The plan of an upgrade that has begun, as its state keeps it: every process decides by it, whatever plan its own build
/// has. Only a person changes it, by ``UpgradeAction/replan(_:)``.
public struct StoredPlan: Sendable, Hashable, Codable {
    package var stages: [Stage]
    /// Without a number of the attempt, which is the state's.
    package var settings: GateSettings

    package init(_ plan: UpgradePlan) {
        (stages, settings) = (plan.stages, plan.settings)
        settings.attempt = 1
    }

    /// Why no build of this version can decide by it; nil if each can.
    package var problem: String? {
        do throws(GateError) {
            _ = try UpgradePlan(stages, settings: settings)
            return nil
        } catch {
            return "the plan, \(error.subject): \(error.message)"
        }
    }
}

extension UpgradePlan {
    /// The plan for the current attempt of an upgrade: the one that it began with, or else this one.
    package func following(_ state: UpgradeState) -> UpgradePlan {
        let plan = state.plan.map { UpgradePlan(checked: $0.stages, $0.settings, nil) } ?? self
        return plan.attempt(state.attempt, against: state.baseline)
    }

    /// Where the upgrade follows another plan than this one, for people: "limit
    /// 0.001, here 0.01". Nil if it follows this one.
    package func difference(from state: UpgradeState) -> String? {
        guard let stored = state.plan, stored != StoredPlan(self) else { return nil }
        var texts: [String] = []
        if stored.stages != stages {
            texts.append(
                "\(stored.stages.map(\.rawValue).joined(separator: ", ")), here "
                    + stages.map(\.rawValue).joined(separator: ", ")
            )
        }
        for (there, here) in zip(Mirror(reflecting: stored.settings).children, Mirror(reflecting: settings).children)
        where "\(there.value)" != "\(here.value)" && there.label != "attempt" {
            texts.append(Self.difference(there.label ?? "", there.value, here.value))
        }
        return texts.joined(separator: "; ")
    }

    /// The same as a sentence for a status.
    package func note(on state: UpgradeState) -> String? {
        difference(from: state).map { "the upgrade follows the plan that it began with, and not this one: \($0)" }
    }

    private static func difference(_ name: String, _ there: Any, _ here: Any) -> String {
        func text(_ value: Any) -> String {
            let mirror = Mirror(reflecting: value)
            return mirror.displayStyle == .optional ? mirror.children.first.map { "\($0.value)" } ?? "none" : "\(value)"
        }
        let isList = [.dictionary, .set].contains(Mirror(reflecting: there).displayStyle)
        return isList ? "other \(name)" : "\(name) \(text(there)), here \(text(here))"
    }
}

extension UpgradeState {
    /// The plan's name; nil for a plan without one, and before the upgrade began.
    package var planName: String? {
        guard let plan else { return nil }
        return NamedPlan.allCases.first { name in
            var settings = name.settings
            settings.promotionCounts = plan.settings.promotionCounts
            return name.stages == plan.stages && settings == plan.settings
        }?.rawValue
    }
}
