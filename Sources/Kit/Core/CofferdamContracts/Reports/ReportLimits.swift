/// Bounds for reports from elsewhere, so that no page is endless.
package enum ReportLimits {
    package static let maxRows = 10_000
    /// Of all rules and operations, over all adapters: a matrix has a cell for each.
    package static let maxCases = 20_000
    package static let maxRules = 1_000
    package static let maxAdapters = 16
    package static let maxDeviations = 500
    package static let maxCalls = 1_000
    package static let maxDrifts = 5_000
    package static let maxCompared = 1 << 40
    package static let maxNameBytes = 200
    package static let maxNoteBytes = 1_000
}

extension ContractReport {
    /// The bound that it exceeds, and where; nil if it exceeds none.
    package var excess: String? {
        typealias Limits = ReportLimits
        guard rows.count <= Limits.maxRows else { return "rows: at most \(Limits.maxRows)" }
        guard declared.count <= Limits.maxCases else { return "missing: at most \(Limits.maxCases) cases in all" }
        let names = Set(adapters.map(\.name) + declared.map(\.adapter))
        guard adapters.count <= Limits.maxAdapters, names.count <= Limits.maxAdapters else {
            return "adapters: at most \(Limits.maxAdapters)"
        }
        let ids = Set(rules.map(\.id) + declared.map(\.rule))
        guard rules.count <= Limits.maxRules, ids.count <= Limits.maxRules else {
            return "rules: at most \(Limits.maxRules)"
        }
        let cases = rules.reduce(0) { $0 + max(1, $1.operations.count) } * max(1, names.count)
        guard cases <= Limits.maxCases else {
            return "rules: at most \(Limits.maxCases) combinations of rules, operations and adapters"
        }
        let tags = Set(adapters.flatMap(\.capabilities) + rules.flatMap { $0.requires + $0.consults })
        guard tags.count <= Limits.maxRules else { return "rules: at most \(Limits.maxRules) capabilities in all" }
        guard deviations.count <= Limits.maxDeviations else {
            return "deviations: at most \(Limits.maxDeviations)"
        }
        guard deviations.allSatisfy({ $0.note.utf8.count <= Limits.maxNoteBytes }) else {
            return "deviations: a reason and its link have at most \(Limits.maxNoteBytes) bytes"
        }
        let operations = rules.flatMap(\.operations) + declared.compactMap(\.operation)
        let texts = Array(names) + ids.map(\.rawValue) + operations
        guard texts.allSatisfy({ (1...Limits.maxNameBytes).contains($0.utf8.count) }) else {
            return "rows: a rule, an operation and an adapter have names of 1 to \(Limits.maxNameBytes) bytes"
        }
        return nil
    }
}

extension DriftReport {
    /// The bound that it exceeds, and where; nil if it exceeds none.
    package var excess: String? {
        typealias Limits = ReportLimits
        guard calls.count <= Limits.maxCalls else { return "calls: at most \(Limits.maxCalls)" }
        guard drifts.count <= Limits.maxDrifts else { return "drifts: at most \(Limits.maxDrifts)" }
        guard calls.allSatisfy({ (0...Limits.maxCompared).contains($0.compared) }) else {
            return "calls: compared is 0 to \(Limits.maxCompared)"
        }
        guard [legacy, candidate].allSatisfy({ (1...Limits.maxNameBytes).contains($0.utf8.count) }) else {
            return "legacy and candidate have names of 1 to \(Limits.maxNameBytes) bytes"
        }
        return nil
    }
}
