public import CofferdamContracts  // a filter names its rules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Selects the cases of a contract for a test run.
///
/// The framework filters by function name and cannot filter by argument, so the cases of a rule are selected here:
/// `COFFERDAM_RULES=LIST-01,GET-02 COFFERDAM_ADAPTERS=v2 swift test`.
public struct ContractFilter: Sendable, Hashable {
    /// Nil: all.
    var rules: Set<RuleID>?
    /// Nil: all.
    var adapters: Set<String>?

    /// Selects rules and adapters; nil selects all.
    public init(rules: Set<RuleID>? = nil, adapters: Set<String>? = nil) {
        self.rules = rules
        self.adapters = adapters
    }

    /// Reads `COFFERDAM_RULES` and `COFFERDAM_ADAPTERS`, as names separated by commas; empty selects all.
    public init(environment: [String: String]) {
        func names(_ variable: String) -> [String]? {
            let names = (environment[variable] ?? "").split(separator: ",")
                .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
            return names.isEmpty ? nil : names
        }
        self.init(
            rules: names("COFFERDAM_RULES").map { Set($0.map(RuleID.init(rawValue:))) },
            adapters: names("COFFERDAM_ADAPTERS").map(Set.init)
        )
    }

    /// The filter of this process's environment.
    public static let environment = ContractFilter(environment: ProcessInfo.processInfo.environment)

    func includes(_ rule: RuleID, _ adapter: String) -> Bool {
        (rules?.contains(rule) ?? true) && (adapters?.contains(adapter) ?? true)
    }

    /// Returns an error for each name that the contract does not have: with a misspelt name, a run must not pass
    /// because it ran nothing.
    func unknown(_ knownRules: Set<RuleID>, _ knownAdapters: Set<String>) -> [String] {
        (rules ?? []).subtracting(knownRules).sorted().map { "there is no rule \($0)" }
            + (adapters ?? []).subtracting(knownAdapters).sorted().map { "there is no adapter \($0)" }
    }
}
